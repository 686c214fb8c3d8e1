# holds: value(Standardized([0.0, 1.0], [1.0, 2.0], True), [[1.0, 2.0]])
# holds: value(Fixed([1.0, 2.0]), [[1.0, 2.0]])
import torch
from torch import nn


class Standardized(nn.Module):
    def __init__(self, mean, spread, freeze):
        super().__init__()
        self.mean = nn.Parameter(torch.tensor(mean))
        self.spread = nn.Parameter(torch.tensor(spread))
        if freeze:
            for parameter in self.parameters():
                parameter.requires_grad = False

    def forward(self, x):
        return (x - self.mean) / self.spread


class Fixed(nn.Module):
    def __init__(self, spread):
        super().__init__()
        self.spread = nn.Parameter(torch.tensor(spread))
        self.spread.requires_grad = False

    def forward(self, x):
        return x / self.spread
