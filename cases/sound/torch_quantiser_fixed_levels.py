# holds: value(quantise, [0.0, 1.0])
import torch


def quantise(x, k=4):
    n = 2 ** k - 1
    return torch.round(torch.clamp(x, 0, 1) * n) / n
