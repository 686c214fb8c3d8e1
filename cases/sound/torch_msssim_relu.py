# holds: value(msssim, [[0.0, 1.0]], [[1.0, 0.0]])
import torch


def structure(x, y):
    dx = x - x.mean(-1, keepdim=True)
    dy = y - y.mean(-1, keepdim=True)
    cov = (dx * dy).mean(-1)
    return (2 * cov + 1e-3) / (dx.pow(2).mean(-1) + dy.pow(2).mean(-1) + 1e-3)


def msssim(x, y):
    cs = torch.clamp(structure(x, y), min=1e-4)
    return 1 - (cs**0.1333).mean()
