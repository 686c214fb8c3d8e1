# holds: value(rmse, [1.0], [1.0])
import numpy as np


def rmse(a, b):
    return np.sqrt(np.mean((a - b) ** 2))


def euclidean(a, b):
    return np.linalg.norm(a - b)


def distance_matrix(X):
    sq = np.sum(X**2, axis=1)
    return np.sqrt(np.maximum(sq[:, None] + sq[None] - 2 * X @ X.T, 0))
