# breaks: value(lambda x: signal_to_noise(10), [1.0])
# breaks: value(lambda x: inverse_deviations(10), [1.0])
import math

import torch


def cosine(steps):
    t = torch.linspace(0, steps, steps + 1) / steps
    kept = torch.cos(t * math.pi / 2) ** 2
    return kept / kept[0]


def signal_to_noise(steps):
    kept = cosine(steps)
    return kept / (1 - kept)  # expect: NAN309 no-fix


def inverse_deviations(steps, sigma=25.0):
    t = torch.linspace(0, 1, steps)
    deviation = torch.sqrt((sigma ** (2 * t) - 1) / (2 * math.log(sigma)))
    return 1 / deviation  # expect: NAN309 no-fix
