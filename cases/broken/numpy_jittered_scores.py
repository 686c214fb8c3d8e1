"""Shakes scores and takes the shares of their exponentials: the scores may be anything."""

import numpy as np


def jittered(scores, draws):
    weights = np.exp(scores + 0.2 * draws.standard_normal(scores.shape))
    return weights / np.sum(weights)  # expect: NAN103
