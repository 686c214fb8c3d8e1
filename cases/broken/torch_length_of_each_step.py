# breaks: gradient(stretched, [[0.0, 0.0], [1.0, 2.0]])
# The scale is a length at each step: its gradient comes back to the points.
import torch
from torch import nn


class Stretch(nn.Module):
    def __init__(self, points):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(len(points), 1))

    def forward(self, x):
        return x * self.scale + torch.sqrt((x**2).sum(1, keepdim=True))  # expect: NAN203


def stretched(points):
    return (Stretch(points)(points) + points).sum()
