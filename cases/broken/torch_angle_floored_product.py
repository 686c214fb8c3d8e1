# breaks: gradient(angle, [[0.3, 0.2, 0.5], [1.8, 0.9, -0.8]], [[0.3, 0.2, 0.5], [1.8, 0.9, -0.8]])
import torch


def angle(a, b):
    lengths = (a.norm(dim=-1) * b.norm(dim=-1)).clamp(min=1e-8)
    return torch.acos((a * b).sum(-1) / lengths)  # expect: NAN208 unsafe
