# breaks: gradient(lambda z: tail(z, torch.zeros(1)), [30.0])
# breaks: gradient(lambda z: bin_nll(z, torch.zeros(1), torch.ones(1)), [300.0])
import torch
from torch import nn


def tail(time, mean):
    standard = torch.distributions.Normal(0, 1)
    return -torch.log(1 - standard.cdf(time - mean)).mean()  # expect: NAN201 unsafe


def bin_nll(x, mean, scale):
    normal = torch.distributions.Normal(mean, scale)
    mass = normal.cdf(x + 0.5) - normal.cdf(x - 0.5)
    return -torch.log2(mass).mean()  # expect: NAN201 unsafe


class Failure(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(4, 1)

    def forward(self, x, time):
        return tail(time, self.mean(x)) + bin_nll(time, self.mean(x), torch.ones(1))
