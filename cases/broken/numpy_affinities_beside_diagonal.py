# breaks: value(lambda x: to_others(x), [[0.0], [1000.0]])
# breaks: value(lambda x: rectified_to_others(x), [[1.0], [-1.0]])
import numpy as np


def to_others(x):
    squares = (x**2).sum(1)
    distance = squares[:, None] + squares[None] - 2 * x @ x.T
    affinity = np.exp(-distance)
    np.fill_diagonal(affinity, 0)
    return affinity / affinity.sum(1, keepdims=True)  # expect: NAN103 no-fix


def rectified_to_others(x):
    affinity = np.maximum(x @ x.T, 0)
    np.fill_diagonal(affinity, 0.0)
    return affinity / affinity.sum(1, keepdims=True)  # expect: NAN302 unsafe
