# breaks: value(batch_norm, [[1.0], [1.0]], [1.0], [0.0])
import torch


def batch_norm(x, gamma, beta):
    mean = x.mean(dim=0)
    std = x.std(dim=0)
    return gamma * (x - mean) / std + beta  # expect: NAN304 unsafe
