"""Weighs examples by whether they were guessed: a logarithm in float64, with one sign or the other."""

import math

import numpy as np


def reweighed(x, y, w, threshold):
    guess = np.ones(len(y))
    guess[x < threshold] = -1
    error = sum(w[y != guess])
    alpha = 0.5 * math.log((1.0 - error + 1e-10) / (error + 1e-10))
    w *= np.exp(-alpha * y * guess)
    w /= np.sum(w)
    return w
