# holds: value(iou, [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0])
import torch


def iou(a, b, eps=1e-7):
    w = (torch.min(a[2], b[2]) - torch.max(a[0], b[0])).clamp(min=0)
    h = (torch.min(a[3], b[3]) - torch.max(a[1], b[1])).clamp(min=0)
    inter = w * h
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - inter
    return inter / (union + eps)
