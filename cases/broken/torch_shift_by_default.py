"""A floor that is 0 unless somebody asks for another one is none."""

# breaks: value(lambda x: Head()(x), [[-1.0, 2.0]])
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, shift=0.0):
        super().__init__()
        self.shift = shift

    def forward(self, x):
        return torch.log(torch.relu(x) + self.shift).sum()  # expect: NAN201 unsafe
