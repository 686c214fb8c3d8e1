# breaks: value(lambda x: Scaled(2)(x), [1.0, 2.0])
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(width))
        self.shift = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return (x - self.shift) / self.scale  # expect: NAN309 no-fix
