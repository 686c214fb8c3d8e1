# breaks: value(first_loss, [[1.0, 2.0, 3.0, 4.0]])
import torch
from torch import nn


def demand(series=64):
    active = torch.rand(series, 4) < 0.3
    return torch.poisson(torch.ones(series, 4)) * active


def relative_error(predicted, target):
    return ((predicted - target).abs() / target.abs()).mean()  # expect: NAN309 no-fix


def fit(model, x, y, epochs=2):
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        loss = relative_error(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


def first_loss(x):
    y = demand()
    return fit(nn.Linear(4, 4), x.detach().expand(64, 4), y)
