# holds: value(entropy, [0.5, -0.5, 0.5])
# holds: value(shares, [-1.0, -2.0])
# holds: value(ratio, [1.0, 2.0], [-1.0, 1.0])
# holds: value(by_where, [0.5, -0.5])
# holds: value(present, [0.5, -0.5, 0.5])
import numpy as np


def entropy(p):
    p[p < 0] = 0
    p[p == 0] = 1e-12
    return -np.sum(p * np.log(p))


def shares(scores):
    scores[scores < 0] = 0
    return scores / (scores.sum() + 1e-8)


def ratio(a, b):
    b[b <= 0] = 1
    return a / b


def by_where(p):
    p = np.where(p < 1e-12, 1e-12, p)
    return np.log(p)


def present(p):
    p[p < 0] = 0
    p = p[p > 0]
    return -np.sum(p * np.log(p))
