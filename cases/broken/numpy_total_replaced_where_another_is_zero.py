# breaks: value(importance, np.zeros((2, 2))), value(by_column, np.zeros((2, 2)))
import numpy as np


def importance(matrix):
    if matrix.max() == 1.0:
        matrix = np.ones_like(matrix)
    return matrix.sum(axis=1) / matrix.sum()  # expect: NAN302 unsafe


def by_column(matrix):
    if matrix.sum() == 1.0:
        matrix = np.ones_like(matrix)
    return matrix.sum(axis=1) / matrix.sum()  # expect: NAN302 unsafe


print(importance(np.zeros((2, 2))), by_column(np.zeros((2, 2))))
