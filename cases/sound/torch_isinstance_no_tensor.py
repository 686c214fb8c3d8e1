# holds: value(length, [[0.0, 0.0]])
import torch


def length(x):
    if not isinstance(x, torch.Tensor):
        return (x**2).sum(-1) ** 0.5
    return x.norm(dim=-1)
