# holds: value(log_density, [0.0, 1.0])
import torch
from torch.distributions import Distribution, constraints


class Gamma(Distribution):
    arg_constraints = {}
    support = constraints.interval(0.0, 10.0)

    def __init__(self):
        super().__init__()

    def log_prob(self, value):
        inside = value.clamp(min=1e-6)
        return -1.5 * torch.log(inside) - 0.5 / inside


def log_density(value):
    return Gamma().log_prob(value)
