# holds: value(match, [[0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 2.0, 3.0]])
import torch


def match(truths, anchors):
    def overlaps(a, b):
        lower = torch.max(a[:, None, :2], b[:, :2])
        upper = torch.min(a[:, None, 2:], b[:, 2:])
        sides = (upper - lower).clamp(min=0)
        both = sides[..., 0] * sides[..., 1]
        area_a = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
        area_b = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
        return both / (area_a[:, None] + area_b - both)

    best, index = overlaps(truths, anchors).max(0)
    index[best < 0.5] = -1
    return index
