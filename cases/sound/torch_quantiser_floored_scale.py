# holds: gradient(lambda s: quantise(torch.ones(1), s), [-200.0])
import torch
import torch.nn as nn
import torch.nn.functional as F


def quantise(x, raw):
    step = F.softplus(raw) + 1e-4
    return torch.round(x / step) * step


class LearnedStep(nn.Module):
    def __init__(self):
        super().__init__()
        self.raw = nn.Parameter(torch.tensor(0.0))

    def forward(self, x):
        return quantise(x, self.raw)
