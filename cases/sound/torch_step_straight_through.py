# holds: gradient(lambda w: Quantiser()(w), [1.0, 2.0])
# holds: gradient(lambda w: Exponential()(w), [1.0, 2.0])
import torch
from torch import nn


def scale_gradient(x, factor):
    scaled = x * factor
    return scaled + (x - scaled).detach()


class Quantiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Parameter(torch.tensor(0.0))

    def forward(self, w):
        s = scale_gradient(self.step, 0.1).clamp(min=1e-4)
        return (w / s).clamp(-8, 7) * s


class Exponential(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_step = nn.Parameter(torch.tensor(0.0))

    def forward(self, w):
        s = scale_gradient(self.log_step.clamp(-5, 5).exp(), 0.1)
        return (w / s).clamp(-8, 7) * s
