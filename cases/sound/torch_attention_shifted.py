# holds: value(attention, [[100.0]], [[1.0], [1.0]], [[1.0], [2.0]])
import torch


def attention(q, k, v):
    scores = q @ k.transpose(-2, -1)
    scores = scores - scores.max(dim=-1, keepdim=True)[0]
    weights = scores.exp()
    return weights / weights.sum(dim=-1, keepdim=True) @ v
