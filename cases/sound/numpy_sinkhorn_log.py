# holds: value(sinkhorn, [0.5, 0.5], [0.5, 0.5], [[1000.0, 2000.0], [3000.0, 4000.0]])
import numpy as np
from scipy.special import logsumexp


def sinkhorn(a, b, M, reg=0.1, iterations=10):
    f = np.zeros(len(a))
    g = np.zeros(len(b))
    for _ in range(iterations):
        f = reg * np.log(a) - reg * logsumexp((g[None, :] - M) / reg, axis=1)
        g = reg * np.log(b) - reg * logsumexp((f[:, None] - M) / reg, axis=0)
    return np.exp((f[:, None] + g[None, :] - M) / reg)
