# holds: value(by_variance, [[1.0, 2.0], [1.0, 3.0]])
# holds: value(by_deviation, [[1.0, 2.0], [1.0, 3.0]])
# holds: value(tested, [[1.0, 2.0], [1.0, 3.0]])
import numpy as np


def by_variance(x, eps=1e-5):
    inverse = 1.0 / np.sqrt(x.var(axis=0) + eps)
    return (x - x.mean(axis=0)) * inverse


def by_deviation(x):
    scale = 1 / np.maximum(x.std(0, keepdims=True), 1e-6)
    return (x - x.mean(0, keepdims=True)) * scale


def tested(x):
    deviation = x.std(0)
    if np.any(deviation == 0):
        return x - x.mean(0)
    return (x - x.mean(0)) * (1 / deviation)
