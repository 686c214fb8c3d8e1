import numpy as np


class Proposal:
    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)

    def weights(self, count):
        raw = np.exp(0.2 * self.generator.standard_normal(count))
        return raw / raw.sum()


def mixture(count, seed):
    generator = np.random.RandomState(seed)
    raw = np.exp(generator.normal(0.0, 3.0, count))
    return raw / raw.sum()
