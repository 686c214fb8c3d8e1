# breaks: value(loss, [[-3.0, -3.0, -1.0, -1.0]], [[-4.0, -4.0, -2.0, -2.0]])
import torch


def inside(boxes, size):
    return boxes.clamp(0.0, size)


def overlaps(a, b):
    lower = torch.max(a[:, None, :2], b[:, :2])
    upper = torch.min(a[:, None, 2:], b[:, 2:])
    sides = (upper - lower).clamp(min=0)
    both = sides[..., 0] * sides[..., 1]
    area_a = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
    area_b = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    return both / (area_a[:, None] + area_b - both)  # expect: NAN309 no-fix


def loss(boxes, truths):
    return (1 - overlaps(inside(boxes, 8.0), inside(truths, 8.0))).mean()
