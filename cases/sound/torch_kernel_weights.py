# holds: value(gaussian_window, 1.5)
# holds: value(laplace_window, 1.5)
# holds: gradient(near, [[0.5, 1.0]])
import torch
import torch.nn as nn


def gaussian_window(sigma):
    x = torch.arange(5) - 2
    w = torch.exp(-(x**2) / (2 * sigma))
    return w / w.sum()


def laplace_window(sigma):
    x = torch.arange(5) - 2
    w = torch.exp(-x.abs() / sigma)
    return w / w.sum()


class Kernel(nn.Module):
    def __init__(self, gamma=10.0):
        super().__init__()
        self.centers = nn.Parameter(torch.linspace(0, 1, 4))
        self.gamma = gamma

    def forward(self, d):
        e = torch.exp(-self.gamma * torch.pow(d[..., None] - self.centers, 2))
        return e / (1e-9 + e.sum(-1, keepdim=True))


def near(d):
    return Kernel()(d).square().sum()
