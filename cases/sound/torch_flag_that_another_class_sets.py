# holds: value(Flow(1), [[1e4, 1e4]])
import torch
import torch.nn as nn


class Coupling(nn.Module):
    def __init__(self, half, mean_only=False):
        super().__init__()
        self.half = half
        self.mean_only = mean_only
        self.post = nn.Linear(half, half * (2 - mean_only))

    def forward(self, x):
        first, second = torch.split(x, [self.half] * 2, 1)
        stats = self.post(first)
        if not self.mean_only:
            mean, logs = torch.split(stats, [self.half] * 2, 1)
        else:
            mean, logs = stats, torch.zeros_like(stats)
        return torch.cat([first, mean + second * torch.exp(logs)], 1)


class Flow(nn.Module):
    def __init__(self, half):
        super().__init__()
        self.coupling = Coupling(half, mean_only=True)

    def forward(self, x):
        return self.coupling(x)
