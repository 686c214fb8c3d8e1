# breaks: value(density_of, [0.0, 1.0])
import torch
from torch.distributions import Distribution, constraints


class Peaked(Distribution):
    arg_constraints = {"scale": constraints.positive}
    support = constraints.real

    def __init__(self, scale, transform=None):
        self.scale = scale
        self._transform = transform
        super().__init__(scale.shape)

    def transform(self, x):
        return self._transform(x) if self._transform is not None else x

    def log_prob(self, value):
        ratio = (self.scale / self.transform(value)) ** 2  # expect: NAN309 no-fix
        return torch.log(torch.log1p(2 * ratio))


def density_of(value):
    return Peaked(torch.ones(())).log_prob(value)
