# holds: value(step, [[0.0, 0.0]])
import torch


def normalise(x):
    return x / (x.abs().sum(dim=-1, keepdim=True) + 1e-3)


def step(x):
    return normalise(x.half())
