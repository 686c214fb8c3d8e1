# breaks: value(bce, [1.0], [0.0])
import torch


def bce(p, y):
    p = torch.clamp(p, 1e-8, 1 - 1e-8)  # expect: NAN501 unsafe
    return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
