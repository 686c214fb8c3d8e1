# breaks: value(log_density, [0.0, 1.0])
import torch
from torch.distributions import Distribution, constraints


class Levy(Distribution):
    arg_constraints = {}
    support = constraints.interval(0.0, 10.0)

    def __init__(self):
        super().__init__()

    def log_prob(self, value):
        decay = -1.5 * torch.log(value)  # expect: NAN201 unsafe
        return decay - 0.5 / value  # expect: NAN309 no-fix


def log_density(value):
    return Levy().log_prob(value)
