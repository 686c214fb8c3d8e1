# breaks: gradient(lambda x: Rooted(2)(x).sum(), [[0.0, 0.0]])
import torch.nn.functional as F
import torch
from torch import nn


class Rooted(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1, n))

    def scaled(self, x):
        return x.sign().mul(x.abs().sqrt())  # expect: NAN203 unsafe

    def forward(self, x):
        return F.linear(self.scaled(x), self.weight)
