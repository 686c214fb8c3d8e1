# breaks: gradient(lambda x: distance(x, x), [[1.0, 2.0]])
# breaks: gradient(lambda x: without_floor(x, x), [[1.0, 2.0]])
import torch


def distance(x, y, floor=0.0):
    total = ((x - y) ** 2).sum(-1)
    if floor > 0:
        total = torch.clamp(total, min=floor)
    return torch.sqrt(total)  # expect: NAN203 safe


def floored_unless_asked(x, y, floor=1e-6):
    total = ((x - y) ** 2).sum(-1)
    if floor > 0:
        total = torch.clamp(total, min=floor)
    return torch.sqrt(total)  # expect: NAN203 safe


def without_floor(x, y):
    return floored_unless_asked(x, y, floor=0.0)
