# holds: value(lambda x: affine(x), [0.0, 0.0])
# holds: value(lambda x: zero_point(x), [2.0, 2.0])
# holds: value(lambda x: of_other(x, np.array([0.0, 255.0])), [2.0, 2.0])
import numpy as np


def affine(x, bits=8):
    low, high = min(x.min(), 0.0), max(x.max(), 0.0)
    scale = max((high - low) / (2**bits - 1), 1e-8)
    return np.round(x / scale)


def zero_point(x):
    span = x.max() - x.min()
    scale = span / 255 if span > 0 else 1.0
    zero = np.round(-x.min() / scale)
    return np.clip(np.round(x / scale) + zero, 0, 255)


def of_other(x, bounds):
    scale = (bounds.max() - x.min()) / 255
    return np.round(x / scale)
