# breaks: gradient(ciou, [[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 0.0, 0.0]])
import math

import torch


def ciou(pred, target, eps=1e-7):
    b1_x1, b1_y1, b1_x2, b1_y2 = pred.unbind(-1)
    b2_x1, b2_y1, b2_x2, b2_y2 = target.unbind(-1)
    inter = (torch.min(b1_x2, b2_x2) - torch.max(b1_x1, b2_x1)).clamp(0) * (
        torch.min(b1_y2, b2_y2) - torch.max(b1_y1, b2_y1)
    ).clamp(0)
    w1, h1 = b1_x2 - b1_x1, b1_y2 - b1_y1
    w2, h2 = b2_x2 - b2_x1, b2_y2 - b2_y1
    union = w1 * h1 + w2 * h2 - inter + eps
    iou = inter / union
    cw = torch.max(b1_x2, b2_x2) - torch.min(b1_x1, b2_x1)
    ch = torch.max(b1_y2, b2_y2) - torch.min(b1_y1, b2_y1)
    c2 = cw**2 + ch**2 + eps
    rho2 = ((b2_x1 + b2_x2 - b1_x1 - b1_x2) ** 2 + (b2_y1 + b2_y2 - b1_y1 - b1_y2) ** 2) / 4
    angle = torch.atan(w2 / h2) - torch.atan(w1 / h1)  # expect: NAN309 no-fix; NAN309 no-fix
    v = (4 / math.pi**2) * torch.pow(angle, 2)
    with torch.no_grad():
        alpha = v / (v - iou + (1 + eps))
    return iou - (rho2 / c2 + v * alpha)
