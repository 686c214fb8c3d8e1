# breaks: value(step, [[0.0, 0.0]])
import torch


def normalise(x):
    return x / (x.abs().sum(dim=-1, keepdim=True) + 1e-8)  # expect: NAN502 no-fix


def step(x):
    x = x.half()
    return normalise(x)
