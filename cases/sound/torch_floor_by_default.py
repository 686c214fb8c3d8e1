# holds: gradient(lambda x: distance(x, x), [[1.0, 2.0]])
# holds: gradient(lambda x: distance_by_helper(x, x), [[1.0, 2.0]])
import torch


def squared(x, y, floor=1e-6):
    difference = x - y
    total = (difference * difference).sum(-1)
    if floor:
        total = torch.clamp(total, min=floor)
    return total


def distance_by_helper(x, y, floor=1e-3):
    return torch.sqrt(squared(x, y, floor**2))


def distance(x, y, floor=1e-6):
    total = ((x - y) ** 2).sum(-1)
    if floor > 0:
        total = torch.clamp(total, min=floor)
    return torch.sqrt(total)
