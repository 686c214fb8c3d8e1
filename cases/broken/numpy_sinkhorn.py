# breaks: value(sinkhorn, [0.5, 0.5], [0.5, 0.5], [[1000.0, 2000.0], [3000.0, 4000.0]])
import numpy as np


def sinkhorn(a, b, M, reg=0.1, iterations=10):
    K = np.exp(-M / reg)
    u = np.ones(len(a)) / len(a)
    for _ in range(iterations):
        v = b / np.dot(K.T, u)  # expect: NAN302 unsafe
        u = a / np.dot(K, v)  # expect: NAN302 unsafe
    return u[:, None] * K * v[None, :]
