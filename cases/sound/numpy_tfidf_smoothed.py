# holds: value(idf, [[0, 0], [1, 0]])
import numpy as np


def idf(counts):
    n = counts.shape[0]
    df = np.sum(counts > 0, axis=0)
    return np.log((1 + n) / (1 + df)) + 1


def tf(counts):
    return np.log1p(counts)
