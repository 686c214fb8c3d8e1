# holds: value(iou, [1.0, 1.0], [2.0, 2.0], [1.0, 1.0], [2.0, 2.0])
import torch


def iou(left, right, other_left, other_right):
    width = torch.minimum(right[0], other_right[0]) - torch.maximum(left[0], other_left[0])
    height = torch.minimum(right[1], other_right[1]) - torch.maximum(left[1], other_left[1])
    shared = (width + 1).clamp(min=0) * (height + 1).clamp(min=0)
    area = (right[0] - left[0] + 1) * (right[1] - left[1] + 1)
    other = (other_right[0] - other_left[0] + 1) * (other_right[1] - other_left[1] + 1)
    return shared / (area + other - shared)
