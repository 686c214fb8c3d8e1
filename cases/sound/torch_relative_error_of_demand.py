# holds: value(first_losses, [[1.0, 2.0, 3.0, 4.0]])
import torch
from torch import nn


def demand(series=64):
    active = torch.rand(series, 4) < 0.3
    return torch.poisson(torch.ones(series, 4)) * active


def floored(predicted, target):
    return ((predicted - target).abs() / target.abs().clamp(min=1.0)).mean()


def shifted(predicted, target):
    return ((predicted - target).abs() / (target.abs() + 1e-3)).mean()


def selected(predicted, target):
    known = target > 0
    return ((predicted - target)[known].abs() / target[known].abs()).sum()


def relative(predicted, target):
    return ((predicted - target).abs() / target.abs()).mean()


def fit(model, x, y, epochs=2):
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        loss = floored(model(x), y) + shifted(model(x), y) + selected(model(x), y)
        loss = loss + relative(model(x), 1.0 + y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


def first_losses(x):
    y = demand()
    return fit(nn.Linear(4, 4), x.detach().expand(64, 4), y)
