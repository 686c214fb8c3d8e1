# breaks: gradient(lambda w: penalty(w), [[0.0, 0.0], [1.0, 2.0]])
import torch
from torch import nn


class Penalised(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layer = nn.Linear(n, n)

    def forward(self, x):
        lengths = torch.sqrt((self.layer.weight**2).sum(1))  # expect: NAN203
        return self.layer(x) * lengths


def penalty(weight):
    return torch.sqrt((weight**2).sum(1)).sum()  # expect: NAN203
