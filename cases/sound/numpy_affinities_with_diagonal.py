# holds: value(lambda x: with_itself(x), [[0.0], [1000.0]])
# holds: value(lambda x: rectified_with_itself(x), [[1.0], [-1.0]])
# holds: value(lambda x: to_others(x), [[0.0], [1000.0]])
# holds: value(lambda x: below_maximum(x), [[0.0], [1000.0]])
import numpy as np


def with_itself(x):
    distance = (x - x.T) ** 2
    affinity = np.exp(-distance)
    np.fill_diagonal(affinity, 1)
    return affinity / affinity.sum(1, keepdims=True)


def rectified_with_itself(x):
    affinity = np.maximum(x @ x.T, 0)
    np.fill_diagonal(affinity, 1.0)
    return affinity / affinity.sum(1, keepdims=True)


def to_others(x):
    affinity = np.exp(-((x - x.T) ** 2))
    np.fill_diagonal(affinity, 0)
    return affinity / np.maximum(affinity.sum(1, keepdims=True), 1e-12)


def below_maximum(x):
    score = -((x - x.T) ** 2)
    np.fill_diagonal(score, -1e30)
    weight = np.exp(score - score.max(1, keepdims=True))
    return weight / weight.sum(1, keepdims=True)
