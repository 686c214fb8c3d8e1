# holds: value(mish, [100.0, 1.0])
# holds: value(bound, [1000.0, 1.0])
# holds: value(planck, [1000.0, 1.0])
import numpy as np


def mish(x):
    n = np.exp(np.minimum(x, 20))
    return x * (n * (n + 2)) / (n * (n + 2) + 2)


def bound(x, affinity=0.3):
    weight = np.exp(-x)
    return affinity / (affinity + weight)


def planck(x):
    return x**3 / (np.exp(x) - 1)


def left(time, rate, weight):
    remains = weight * np.exp(-rate * time)
    return remains / (remains + 1)


def reliability(log_precision, noise):
    precision = np.exp(log_precision)
    return precision / (precision + noise)


def fused(x, y):
    top = np.maximum(x, y)
    e, f = np.exp(x - top), np.exp(y - top)
    return 0.5 * e / (0.5 * e + f)
