# holds: value(entropy_of, [0.5, 1.0])
# holds: value(mean_of, [0.5, 2.0])
# holds: gradient(density_of, [0.5, 2.0], [1.0, 0.0])
import torch
from torch.distributions import Distribution, constraints


class Waiting(Distribution):
    arg_constraints = {"probs": constraints.unit_interval}
    support = constraints.nonnegative_integer

    def __init__(self, probs):
        self.probs = probs
        super().__init__(probs.shape)

    def entropy(self):
        p = self.probs.clamp(1e-6, 1 - 1e-6)
        return -((1 - p) * torch.log1p(-p) / p + torch.log(p))


class Decay(Distribution):
    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative

    def __init__(self, rate):
        self.rate = rate
        super().__init__(rate.shape)

    @property
    def mean(self):
        return 1 / self.rate

    def log_prob(self, value):
        return self.rate.log() - value * self.rate


def entropy_of(probs):
    return Waiting(probs).entropy()


def mean_of(rate):
    return Decay(rate).mean


def density_of(rate, value):
    return Decay(rate).log_prob(value).sum()
