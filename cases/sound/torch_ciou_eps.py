# holds: gradient(aspect, [[0.0, 0.0]], [[1.0, 1.0]])
import math

import torch


def aspect(pred, target, eps=1e-7):
    w1, h1 = pred[..., 0].clamp(min=0), pred[..., 1].clamp(min=0) + eps
    w2, h2 = target[..., 0].clamp(min=0), target[..., 1].clamp(min=0) + eps
    return (4 / math.pi**2) * torch.pow(torch.atan(w2 / h2) - torch.atan(w1 / h1), 2)
