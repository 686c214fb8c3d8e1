# holds: gradient(lambda p: divergence(torch.tensor([1.0, 0.0]), p), [0.5, 0.5])
import torch


def divergence(target, p):
    ratio = torch.where(target > 0, target, 1.0) / p.clamp(min=1e-7)
    return torch.where(target > 0, target * torch.log(ratio), 0.0).sum()
