"""Shares of what was taken for what, with NaN for a class that does not occur."""

import numpy as np


def shares(truth, guesses, how):
    counts = np.zeros((4, 4))
    for one, other in zip(truth, guesses):
        counts[one, other] += 1
    if how == "rows":
        counts = counts / counts.sum(axis=1, keepdims=True)  # expect: NAN302 unsafe
    return counts


def shares_of_most(truth, guesses):
    counts = np.zeros((4, 4))
    for one, other in zip(truth, guesses):
        counts[one, other] += 1
    counts = counts / counts.sum(axis=1, keepdims=True)  # expect: NAN302 unsafe
    counts[counts < 0.5] = 0
    return counts
