# holds: value(of_corners, [[1.0, 1.0, 1.0, 1.0]])
# holds: gradient(of_corners, [[1.0, 1.0, 2.0, 1.0]])
# holds: gradient(of_sides, [[1.0, 1.0, 0.5, 0.0]])
# holds: gradient(by_both, [[1.0, 1.0, 2.0, 1.0]])
import torch


def of_corners(boxes, eps=1e-7):
    w = boxes[:, 2] - boxes[:, 0]
    h = boxes[:, 3] - boxes[:, 1] + eps
    return torch.atan(w / h)


def of_sides(boxes):
    w, h = boxes[..., 2], boxes[..., 3].clamp(min=1e-6)
    return torch.atan(w / h) ** 2


def by_both(boxes):
    x1, y1, x2, y2 = boxes.chunk(4, -1)
    return torch.atan2(x2 - x1, y2 - y1)
