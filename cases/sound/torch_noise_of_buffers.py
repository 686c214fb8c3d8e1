# holds: gradient(lambda x: Noisy(2)(x).sum(), [[0.0, 0.0]])
import torch
import torch.nn.functional as F
from torch import nn


class Noisy(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1, n))
        self.register_buffer("drawn", torch.zeros(n))
        self.register_buffer("noise", torch.zeros(n))
        self.reset_noise()

    def reset_noise(self):
        self.drawn.normal_(std=0.1)
        self.noise.copy_(self.scaled(self.drawn))

    def scaled(self, x):
        return x.sign().mul(x.abs().sqrt())

    def forward(self, x):
        return F.linear(x, self.weight * self.noise)
