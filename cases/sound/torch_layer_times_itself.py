# holds: gradient(lambda x: Halves()(x), [2.0, 2.0])
import torch
from torch import nn


class Halves(nn.Module):
    """Two different halves, and not the square of one."""

    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return (self.drop(x) * self.drop(x)).sum() / (self.drop(x) + 8).sum()
