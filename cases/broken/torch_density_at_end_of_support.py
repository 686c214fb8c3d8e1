# breaks: value(density_of, [0.0, 1.0])
from torch.distributions import Distribution, constraints


class Passage(Distribution):
    arg_constraints = {}
    support = constraints.nonnegative

    def log_prob(self, value):
        return -1.5 * value.log() - 0.5 / value  # expect: NAN201 unsafe; NAN309 no-fix


def density_of(value):
    return Passage(validate_args=False).log_prob(value)
