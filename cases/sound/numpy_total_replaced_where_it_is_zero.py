# holds: value(importance, np.zeros((2, 2))), value(mean_of_kept, [1.0, 2.0], [0.0, 0.0])
import numpy as np


def importance(matrix):
    if matrix.sum() == 0.0:
        matrix = np.ones_like(matrix)
    return matrix.sum(axis=1) / matrix.sum()


def mean_of_kept(x, mask):
    if not mask.sum():
        mask = np.ones_like(mask)
    return (x * mask).sum() / mask.sum()


print(importance(np.zeros((2, 2))))
