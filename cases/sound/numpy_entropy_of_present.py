# holds: value(entropy, [1, 1, 0, 0])
import numpy as np


def entropy(labels):
    _, counts = np.unique(labels, return_counts=True)
    p = counts / counts.sum()
    return -np.sum(p * np.log2(p))


def binary_entropy(p):
    p = p[(p > 0) & (p < 1)]
    return -np.sum(p * np.log2(p) + (1 - p) * np.log2(1 - p))
