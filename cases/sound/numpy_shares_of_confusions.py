"""Shares of what was taken for what: of a class that does not occur they are made 0 at the end."""

import numpy as np


def shares(truth, guesses, how):
    counts = np.zeros((4, 4))
    for one, other in zip(truth, guesses):
        counts[one, other] += 1
    if how == "rows":
        counts = counts / counts.sum(axis=1, keepdims=True)
    elif how == "columns":
        counts = counts / counts.sum(axis=0, keepdims=True)
    return np.nan_to_num(counts)


def shares_in_place(truth, guesses, how):
    counts = np.zeros((4, 4))
    for one, other in zip(truth, guesses):
        counts[one, other] += 1
    if how == "rows":
        counts = counts / counts.sum(axis=1, keepdims=True)
    if np.isnan(counts).any():
        counts[np.isnan(counts)] = 0
    return counts
