# holds: value(step, [[1.0, 2.0]])
import torch


def masked(keep, scores):
    return torch.where(keep, scores, -1e4)


def step(scores):
    keep = torch.zeros(scores.shape, dtype=torch.bool)
    return torch.softmax(masked(keep, scores.half()), dim=-1)
