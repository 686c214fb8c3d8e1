# holds: value(coupling, [1.0], [100.0])
import torch


def coupling(x, s, alpha=2.0):
    s = alpha * torch.tanh(s / alpha)
    return x * torch.exp(s), s.sum()
