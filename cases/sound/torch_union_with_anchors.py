# holds: value(loss, [[0.0, 0.0, 0.0, 0.0]])
import torch

ANCHORS = torch.tensor([[0.0, 0.0, 4.0, 4.0], [2.0, 2.0, 6.0, 6.0]])


def overlaps(a, b):
    lower = torch.max(a[:, None, :2], b[:, :2])
    upper = torch.min(a[:, None, 2:], b[:, 2:])
    sides = (upper - lower).clamp(min=0)
    both = sides[..., 0] * sides[..., 1]
    area_a = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
    area_b = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    return both / (area_a[:, None] + area_b - both)


def loss(truths):
    return (1 - overlaps(ANCHORS, truths.clamp(0.0, 8.0))).mean()
