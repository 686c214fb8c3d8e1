# possible: ignored
# holds: train([((torch.ones(1, 2), torch.zeros(1, 1)))])
# holds: swapped([(torch.ones(1, 2),)])
import torch
from torch import nn


class Squashed(nn.Module):
    """Rates that stay away from 0 and 1."""

    def __init__(self, size, bias):
        super().__init__()
        self.out = nn.Linear(size, 1)
        nn.init.constant_(self.out.bias, bias)

    def forward(self, x):
        return 0.05 + 0.9 * torch.sigmoid(self.out(x))


def loss_of(model, x, y):
    p = model(x)
    return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()


def train(data):
    model = Squashed(2, 200.0)
    for batch in data:
        loss = loss_of(model, *batch)
        loss.backward()
    return loss.detach()


class Saturating(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.out = nn.Linear(size, 1)
        nn.init.constant_(self.out.bias, -200.0)

    def forward(self, x):
        return torch.sigmoid(self.out(x))


def log_rates(x, model):
    p = torch.exp(-torch.abs(model(x)))
    return torch.log(p).mean()


def swapped(data):
    model = Saturating(2)
    return torch.stack([log_rates(*batch, model).detach() for batch in data])
