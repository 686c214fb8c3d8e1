# breaks: value(flow, [[200.0, 1.0]])
import torch
from torch import nn


class Coupling(nn.Module):
    def __init__(self, size, mean_only=False):
        super().__init__()
        self.size = size
        self.mean_only = mean_only
        self.post = nn.Linear(size, size * (2 - mean_only))
        nn.init.ones_(self.post.weight)

    def forward(self, x):
        stats = self.post(x)
        if not self.mean_only:
            mean, log_scale = torch.split(stats, [self.size] * 2, 1)
        else:
            mean = stats
            log_scale = torch.zeros_like(mean)
        return mean + x * torch.exp(log_scale)  # expect: NAN504 no-fix


class Flow(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.steps = nn.ModuleList([Coupling(size, mean_only=True), Coupling(size)])

    def loss(self, x):
        for step in self.steps:
            x = step(x)
        return x.square().sum()


def flow(x):
    return Flow(2).loss(x)
