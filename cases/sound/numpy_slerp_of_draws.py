# holds: value(between, np.array(0.5))
import numpy as np


def slerp(share, low, high):
    omega = np.arccos(np.dot(low / np.linalg.norm(low), high / np.linalg.norm(high)))
    whole = np.sin(omega)
    return np.sin((1.0 - share) * omega) / whole * low + np.sin(share * omega) / whole * high


def between(share):
    np.random.seed(0)
    return slerp(share, np.random.randn(64), np.random.randn(64))
