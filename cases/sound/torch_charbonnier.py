# holds: gradient(charbonnier, [1.0], [1.0])
import torch


def charbonnier(pred, target, eps=1e-3):
    return torch.sqrt((pred - target) ** 2 + eps ** 2).mean()
