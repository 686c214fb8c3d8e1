# holds: gradient(stretched, [[0.0, 0.0], [1.0, 2.0]])
# The scale begins as a length: a parameter keeps the number, and no way back to what it was made of.
import torch
from torch import nn


class Stretch(nn.Module):
    def __init__(self, points):
        super().__init__()
        self.scale = nn.Parameter(torch.sqrt((points**2).sum(1, keepdim=True)))

    def forward(self, x):
        return x * self.scale


def stretched(points):
    return (Stretch(points)(points) + points).sum()
