# holds: gradient(decode, [0.0, 0.5])
import torch


def decode(x, gamma=2.2):
    x = x.clamp(min=1e-4)
    return x ** (1 / gamma) + x.pow(2) + x**3
