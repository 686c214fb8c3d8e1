# breaks: value(lambda y: loss((torch.ones(1, 2) / 2, torch.zeros(1, 2), torch.ones(1, 2)), y), [30.0])
import math

import torch


def density(y, mean, scale):
    z = (y.unsqueeze(-1) - mean) / scale
    found = torch.exp(-0.5 * z * z)
    found /= scale * math.sqrt(2 * math.pi)
    return found


def loss(mixture, y):
    share, mean, scale = mixture
    likelihood = (share * density(y, mean, scale)).sum(-1)
    return -torch.log(likelihood).mean()  # expect: NAN104 no-fix
