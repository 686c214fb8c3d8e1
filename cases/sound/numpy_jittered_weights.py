"""Shakes weights by draws from a normal distribution: no exponential of such overflows."""

import numpy as np


def jittered(count, draws):
    weights = np.ones((1, count)) / count
    weights *= np.exp(0.2 * draws.standard_normal((1, count)))
    weights /= np.sum(weights)
    return weights
