# holds: gradient(compress, [0.0, 0.5, -0.2], 87.6)
# holds: gradient(compress_from_knee, [0.0, 0.5, -0.2], 87.6)
# holds: gradient(expand, [0.0, 0.5, -0.2], 87.6)
# holds: gradient(huber, [0.0, 4.0], 1.0)
# holds: gradient(small_ones, [0.0, 0.5], 0.25)
# holds: value(level, [0.0, 0.5])
import math

import torch


def compress(x, a):
    amplitude = x.abs()
    is_small = amplitude < 1 / a
    scaled = torch.where(is_small, torch.ones_like(x), a * amplitude)
    return (torch.sign(x) * torch.where(is_small, a * amplitude, 1 + torch.log(scaled))).sum()


def compress_from_knee(x, a):
    amplitude = x.abs()
    scaled = (a * amplitude).clamp(min=1.0)
    y = torch.where(amplitude < 1 / a, a * amplitude, 1 + torch.log(scaled))
    return (torch.sign(x) * y / (1 + math.log(a))).sum()


def expand(x, a):
    amplitude = x.abs()
    z = 1 + math.log(a)
    return (torch.sign(x) * torch.where(amplitude < 1 / z, amplitude * z, torch.exp(amplitude * z - 1))).sum()


def huber(x, knee):
    amplitude = torch.abs(x)
    return torch.where(amplitude > knee, knee * (amplitude - 0.5 * knee), 0.5 * x**2).sum()


def small_ones(x, knee):
    amplitude = x.abs() + 1e-6
    return torch.where(amplitude > knee, torch.log(amplitude), amplitude).sum()


@torch.no_grad()
def level(x):
    amplitude = x.abs()
    return torch.where(amplitude < 0.01, amplitude, 1 + torch.log(100 * amplitude))
