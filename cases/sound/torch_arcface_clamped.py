# holds: gradient(lambda x: arc_logits(x, torch.tensor([[1.0, 0.0]])), [[1.0, 0.0]])
import torch
import torch.nn.functional as F


def arc_logits(x, weight, s=30.0, m=0.5):
    cosine = F.linear(F.normalize(x), F.normalize(weight))
    theta = torch.acos(cosine.clamp(-1 + 1e-7, 1 - 1e-7))
    return s * torch.cos(theta + m)
