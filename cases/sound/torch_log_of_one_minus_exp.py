# holds: value(log1mexp, [-0.1, -3.0, -200.0])
import torch


def log1mexp(x):
    return torch.where(x < -0.69, torch.log1p(-torch.exp(x)), torch.log(-torch.expm1(x)))


def odds_loss(x, y):
    return (y * x - log1mexp(-x.abs() - 1e-3)).mean()
