# breaks: value(loss, [[0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0]])
import torch


def overlaps(a, b):
    lower = torch.max(a[:, None, :2], b[:, :2])
    upper = torch.min(a[:, None, 2:], b[:, 2:])
    sides = (upper - lower).clamp(min=0)
    both = sides[..., 0] * sides[..., 1]
    area_a = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
    area_b = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    return both / (area_a[:, None] + area_b - both)  # expect: NAN309 possible


def loss(boxes, truths):
    best, index = overlaps(boxes, truths).max(0)
    return (1 - best).mean()
