# breaks: value(of_corners, [[1.0, 1.0, 1.0, 1.0]])
# breaks: gradient(of_corners, [[1.0, 1.0, 2.0, 1.0]])
# breaks: value(of_sides, [[1.0, 1.0, 0.0, 0.0]])
# breaks: gradient(in_parts, [[1.0, 1.0, 2.0, 1.0]])
import math

import torch


def of_corners(boxes):
    w = boxes[:, 2] - boxes[:, 0]
    h = boxes[:, 3] - boxes[:, 1]
    return torch.atan(w / h)  # expect: NAN309 no-fix


def of_sides(boxes):
    w, h = boxes[..., 2], boxes[..., 3]
    return 4 / math.pi**2 * torch.atan(w / h) ** 2  # expect: NAN309 no-fix


def in_parts(boxes):
    x1, y1, x2, y2 = boxes.chunk(4, -1)
    w, h = x2 - x1, y2 - y1
    return torch.atan(w / h)  # expect: NAN309 no-fix
