# holds: gradient(squash, [[0.0, 0.0]])
import torch


def squash(s, eps=1e-8):
    n2 = (s ** 2).sum(-1, keepdim=True)
    return n2 / (1 + n2) * s / torch.sqrt(n2 + eps)
