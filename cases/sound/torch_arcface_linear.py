# holds: value(lambda z: gradient_of(z), [[3.0, 4.0], [5.0, 12.0]])
import torch
import torch.nn as nn
import torch.nn.functional as F


class ArcFace(nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.w = nn.Parameter(weight)

    def forward(self, z):
        cos = F.linear(F.normalize(z), F.normalize(self.w))
        inside = cos.clamp(-1 + 1e-6, 1 - 1e-6)
        sin = torch.sqrt(1.0 - inside**2) + torch.sqrt((1.0 - cos**2).clamp(min=1e-6))
        return (cos - sin).mean()


class Scaled(nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.w = nn.Parameter(weight)

    def forward(self, z):
        return torch.exp(F.linear(F.normalize(z), F.normalize(self.w)) / 0.07).log().mean()


def gradient_of(z):
    head, other = ArcFace(z.detach().clone()), Scaled(z.detach().clone())
    (head(z) + other(z)).backward()
    return torch.cat([head.w.grad, other.w.grad])
