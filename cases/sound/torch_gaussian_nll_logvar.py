# holds: gradient(gaussian_nll, [0.0], [-5.0], [1.0])
import math

import torch


def gaussian_nll(mu, log_sigma, y):
    log_sigma = log_sigma.clamp(-10, 10)
    z = (y - mu) * torch.exp(-log_sigma)
    return (0.5 * z ** 2 + log_sigma + 0.5 * math.log(2 * math.pi)).mean()
