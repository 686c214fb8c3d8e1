# holds: value(lambda x: signal_to_noise(10), [1.0])
# holds: value(lambda x: betas(10), [1.0])
# holds: value(lambda x: inverse_deviations(10), [1.0])
# holds: value(lambda x: descending(10), [1.0])
import math

import torch


def cosine(steps, s=0.008):
    t = torch.linspace(0, steps, steps + 1) / steps
    kept = torch.cos((t + s) / (1 + s) * math.pi / 2) ** 2
    return kept / kept[0]


def betas(steps):
    kept = cosine(steps)
    return 1 - kept[1:] / kept[:-1]


def signal_to_noise(steps):
    t = torch.linspace(0, steps, steps + 1) / steps
    kept = torch.cos(t * math.pi / 2)[1:] ** 2
    return kept / (1 - kept)


def inverse_deviations(steps, sigma=25.0):
    t = torch.linspace(1e-3, 1, steps)
    deviation = torch.sqrt((sigma ** (2 * t) - 1) / (2 * math.log(sigma)))
    return 1 / deviation


def descending(steps):
    t = torch.linspace(1, 0, steps)
    kept = torch.exp(-t)
    return 1 / (2 - kept / kept[0])
