# breaks: value(lambda x: Energy(2)(x.half()), [[300.0, 1.0]])
import torch
from torch import nn


class Energy(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size, dtype=torch.float16))

    def forward(self, x):
        return (x.pow(2) * self.weight).mean(-1)  # expect: NAN507 no-fix


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer, self.energy = nn.Linear(size, size), Energy(size)

    def forward(self, x):
        return self.energy(self.layer(x))


def run(x):
    return Block(8).half()(x.half())
