import numpy as np


class Proposal:
    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)

    def weights(self, count):
        raw = np.exp(200 * self.generator.standard_normal(count))
        return raw / raw.sum()  # expect: NAN103


def mixture(count, seed, spread):
    generator = np.random.RandomState(seed)
    raw = np.exp(generator.normal(0.0, spread, count))
    return raw / raw.sum()  # expect: NAN103
