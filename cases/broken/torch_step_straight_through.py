# breaks: gradient(lambda w: quantise(w, torch.zeros(())), [1.0, 2.0])
import torch
from torch import nn


def scale_gradient(x, factor):
    scaled = x * factor
    return scaled + (x - scaled).detach()


def quantise(w, step):
    s = scale_gradient(step, 0.1)
    return (w / s).clamp(-8, 7) * s


class Quantiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Parameter(torch.tensor(1.0))

    def forward(self, w):
        s = scale_gradient(self.step, 0.1)
        return (w / s).clamp(-8, 7) * s  # expect: NAN309 possible
