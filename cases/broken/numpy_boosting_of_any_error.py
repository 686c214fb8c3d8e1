"""Weighs a stump by the odds of its error, which may be all that there is."""

import numpy as np


def weight_of_best(x, y, w):
    least = float("inf")
    for threshold in np.unique(x):
        guess = np.where(x < threshold, -1, 1)
        error = np.sum(w[y != guess])
        if error < least:
            least = error
    alpha = 0.5 * np.log((1.0 - least) / (least + 1e-10))  # expect: NAN201 unsafe
    return alpha
