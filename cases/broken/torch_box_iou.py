# breaks: value(iou, [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0])
import torch


def area(w, h):
    return torch.clamp(w, min=0) * torch.clamp(h, min=0)


def iou(a, b):
    w = torch.min(a[2], b[2]) - torch.max(a[0], b[0])
    h = torch.min(a[3], b[3]) - torch.max(a[1], b[1])
    inter = torch.clamp(w, min=0) * torch.clamp(h, min=0)
    area_a = (a[2] - a[0]).clamp(min=0) * (a[3] - a[1]).clamp(min=0)
    area_b = (b[2] - b[0]).clamp(min=0) * (b[3] - b[1]).clamp(min=0)
    return inter / (area_a + area_b - inter)  # expect: NAN309 no-fix
