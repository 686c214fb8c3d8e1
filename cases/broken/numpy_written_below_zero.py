# breaks: value(entropy, [0.5, -0.5, 0.5])
# breaks: value(shares, [-1.0, -2.0])
# breaks: value(ratio, [1.0, 2.0], [-1.0, 1.0])
# breaks: value(by_where, [0.5, -0.5])
import numpy as np


def entropy(p):
    p[p < 0] = 0
    return -np.sum(p * np.log(p))  # expect: NAN202


def shares(scores):
    scores[scores < 0] = 0
    return scores / scores.sum()  # expect: NAN302 unsafe


def ratio(a, b):
    b[b < 0] = 0
    return a / b  # expect: NAN309 no-fix


def by_where(p):
    p = np.where(p < 0, np.zeros_like(p), p)
    return np.log(p)  # expect: NAN201 unsafe
