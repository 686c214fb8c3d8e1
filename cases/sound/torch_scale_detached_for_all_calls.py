# holds: gradient(loss, [-1.0, 2.0], [0.0, 3.0])
import torch


def scaled(a, x):
    bound = torch.maximum(x.abs(), a.abs().sqrt()).detach()
    return x / (bound + 1)


def loss(a, x):
    return scaled(torch.relu(a), x).mean() + scaled(a * (x > 0), x).mean()
