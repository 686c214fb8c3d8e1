"""A state that a cell carries on is trained through, and so is what an object is told to keep."""

import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.gate = nn.Linear(size, size)
        self.state = torch.zeros(size)

    def forward(self, x):
        share = torch.sigmoid(self.gate(x))
        self.state = share * self.state + (1 - share) * x
        return torch.sqrt((self.state**2).sum())  # expect: NAN203


class Kept:
    def __init__(self, shape):
        self.point = torch.zeros(shape)

    def move(self, x):
        self.point = x

    def length(self):
        return torch.sqrt((self.point**2).sum())  # expect: NAN203


class Moved:
    def __init__(self, shape):
        self.point = torch.zeros(shape, requires_grad=True)

    def step(self, rate, grad):
        self.point = self.point * 0.999 - rate * grad

    def length(self):
        return torch.sqrt((self.point**2).sum())  # expect: NAN203
