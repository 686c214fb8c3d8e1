# holds: value(scale, [1.0, 1.0]), value(spread, [1.0, 1.0])
import numpy as np


def scale(x):
    lo, hi = x.min(), x.max()
    if hi > lo:
        return (x - lo) / (hi - lo)
    return np.zeros_like(x)


def spread(x):
    span = x.max() - x.min()
    if span == 0:
        span = 1.0
    return (x - x.min()) / span
