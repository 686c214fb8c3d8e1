# breaks: value(entropy_of, [0.5, 1.0])
# breaks: value(variance_of, [0.0, 0.5])
# breaks: gradient(surprise_of, [0.0, 1.0])
import torch
from torch.distributions import Distribution, constraints


class Waiting(Distribution):
    arg_constraints = {"probs": constraints.unit_interval}
    support = constraints.nonnegative_integer

    def __init__(self, probs):
        self.probs = probs
        super().__init__(probs.shape)

    @property
    def variance(self):
        return (1 - self.probs) / self.probs**2  # expect: NAN309 no-fix

    def entropy(self):
        stopped = (1 - self.probs) * torch.log1p(-self.probs)  # expect: NAN202 no-fix
        return -(stopped / self.probs.clamp(min=1e-6) + torch.log(self.probs + 1e-6))

    def surprise(self):
        return -torch.xlogy(self.probs, self.probs)  # expect: NAN201 no-fix


def entropy_of(probs):
    return Waiting(probs).entropy()


def variance_of(probs):
    return Waiting(probs).variance


def surprise_of(probs):
    return Waiting(probs).surprise().sum()
