# holds: value(lambda y: loss((torch.ones(1, 2) / 2, torch.zeros(1, 2), torch.ones(1, 2)), y), [30.0])
import math

import torch


def log_density(y, mean, scale):
    z = (y.unsqueeze(-1) - mean) / scale
    return -0.5 * z * z - torch.log(scale) - 0.5 * math.log(2 * math.pi)


def loss(mixture, y):
    share, mean, scale = mixture
    return -torch.logsumexp(torch.log_softmax(share, -1) + log_density(y, mean, scale), -1).mean()
