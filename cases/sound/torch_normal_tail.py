# holds: gradient(lambda z: tail(z, torch.zeros(1)), [30.0])
# holds: gradient(lambda z: bin_nll(z, torch.zeros(1), torch.ones(1)), [300.0])
import torch
from torch import nn


def tail(time, mean):
    return -torch.special.log_ndtr(mean - time).mean()


def bin_nll(x, mean, scale):
    normal = torch.distributions.Normal(mean, scale)
    mass = normal.cdf(x + 0.5) - normal.cdf(x - 0.5)
    return -torch.log2(mass.clamp(min=1e-9)).mean()


class Failure(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(4, 1)

    def forward(self, x, time):
        return tail(time, self.mean(x)) + bin_nll(time, self.mean(x), torch.ones(1))
