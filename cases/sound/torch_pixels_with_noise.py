"""Noise, a margin, a bound or a test keeps what is made of pixels from the ends of the interval."""

# holds: value(dequantized, [[0.0, 255.0]])
# holds: value(with_margin, [[0.0, 255.0]])
# holds: value(clamped, [[0.0, 255.0]])
# holds: value(of_others, [[0.0, 255.0]])
import torch


def dequantized(x):
    x = (x + torch.rand_like(x).clamp(1e-3, 1 - 1e-3)) / 256
    return torch.log(x) - torch.log(1 - x)


def with_margin(x, alpha=0.05):
    x = x / 255.0
    x = alpha + (1 - 2 * alpha) * x
    return torch.log(x) - torch.log(1 - x)


def clamped(x):
    x = (x / 255.0).clamp(1e-5, 1 - 1e-5)
    return torch.log(x / (1 - x))


def of_others(x):
    return torch.log(x[x > 0] / 255)
