# breaks: value(pagerank, [[0, 1], [0, 0]])
import numpy as np


def pagerank(links, d=0.85, n_iter=50):
    A = (np.asarray(links) > 0).astype(float)
    n = A.shape[0]
    M = (A / A.sum(axis=1, keepdims=True)).T  # expect: NAN301
    r = np.ones(n) / n
    for _ in range(n_iter):
        r = d * M @ r + (1 - d) / n
    return r
