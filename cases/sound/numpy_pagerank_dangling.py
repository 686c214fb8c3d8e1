# holds: value(pagerank, [[0, 1], [0, 0]])
import numpy as np


def pagerank(links, d=0.85, n_iter=50):
    A = (np.asarray(links) > 0).astype(float)
    n = A.shape[0]
    out = A.sum(axis=1, keepdims=True)
    out[out == 0] = 1
    M = (A / out).T
    r = np.ones(n) / n
    for _ in range(n_iter):
        r = d * M @ r + (1 - d) / n
    return r
