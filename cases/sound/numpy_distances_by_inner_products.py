# holds: value(lambda x: smoothed(np.sin(np.arange(320.0)).reshape(40, 8) * x), 3.0)
# holds: value(lambda x: clamped(np.sin(np.arange(320.0)).reshape(40, 8) * x), 3.0)
# In float64, rounding stays far below an epsilon of 1e-12; a root at 0 has no gradient to break.
import numpy as np


def smoothed(x):
    lengths = np.sum(x**2, axis=1)
    return np.sqrt(lengths[:, np.newaxis] + lengths - 2 * np.dot(x, x.T) + 1e-12)


def clamped(x):
    lengths = np.sum(x**2, axis=1)
    squared = lengths[:, np.newaxis] + lengths - 2 * np.dot(x, x.T)
    squared[squared < 0] = 0.0
    return np.sqrt(squared)
