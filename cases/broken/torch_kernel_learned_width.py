import torch
import torch.nn as nn


class Kernel(nn.Module):
    def __init__(self, gamma=10.0):
        super().__init__()
        self.centers = nn.Parameter(torch.linspace(0, 1, 4))
        self.gamma = nn.Parameter(torch.tensor(gamma))

    def forward(self, d):
        e = torch.exp(-self.gamma * torch.pow(d[..., None] - self.centers, 2))
        return e / (1e-9 + e.sum(-1, keepdim=True))  # expect: NAN103 unsafe


def weigh(scores, temperature):
    e = torch.exp(-scores / temperature)
    return e / e.sum()  # expect: NAN103


def weigh_by_size(scores):
    e = torch.exp(-scores * scores.numel())
    return e / e.sum()  # expect: NAN103


def weigh_by_rate(scores, raw):
    e = torch.exp(-scores * torch.exp(raw))
    return e / e.sum()  # expect: NAN103
