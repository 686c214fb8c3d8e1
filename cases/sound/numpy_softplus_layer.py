"""Exponentials of what cannot be large, and a divisor that is no sum with 1."""

# holds: value(lambda x: passed_back(x, np.ones(2)), [1000.0, -1000.0])
# holds: value(lambda x: bounded(x, np.ones(2)), [1000.0, -1000.0])
import numpy as np


def passed_back(x, d):
    small = np.exp(-np.abs(x))
    return d * np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def bounded(x, d):
    odds = np.exp(np.minimum(x, 30))
    return d * odds / (1 + odds)
