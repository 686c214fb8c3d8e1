"""Weighs a stump by the odds of its error, which is turned around where it is above a half."""

import numpy as np


def weight_of_best(x, y, w):
    least = float("inf")
    for threshold in np.unique(x):
        guess = np.where(x < threshold, -1, 1)
        error = np.sum(w[y != guess])
        if error > 0.5:
            error = 1 - error
        if error < least:
            least = error
    alpha = 0.5 * np.log((1.0 - least) / (least + 1e-10))
    return alpha
