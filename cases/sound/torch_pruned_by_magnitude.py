# holds: gradient(lambda x: Pruned(2)(x).sum(), [[0.0, 1.0]])
import torch
from torch import nn


class Pruned(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layer = nn.Linear(n, n)

    def forward(self, x):
        lengths = torch.sqrt((self.layer.weight.data**2).sum(1))
        return self.layer(x) * lengths
