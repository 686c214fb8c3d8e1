# holds: gradient(lambda x: Mask(2)(x), [1.0, 2.0])
import torch
from torch import nn


class Mask(nn.Module):
    """The temperature gets no gradient through a copy of it."""

    def __init__(self, n):
        super().__init__()
        self.mask = nn.Parameter(torch.zeros(n))
        self.temperature = nn.Parameter(torch.tensor(0.5))

    def forward(self, x):
        return x * torch.sigmoid(self.mask / torch.tensor(self.temperature))
