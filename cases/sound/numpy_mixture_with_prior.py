# holds: value(lambda r: m_step(np.ones((2, 1)), r, prior=1e-3), [[1.0, 0.0], [1.0, 0.0]])
import numpy as np


def m_step(x, shares, prior=0.0):
    n = shares.sum(0) + prior
    return (shares.T @ x) / n[:, None]


def fit(x, shares, rounds=10):
    for _ in range(rounds):
        means = m_step(x, shares, prior=1e-3)
        distances = ((x[:, None] - means) ** 2).sum(-1)
        distances = distances - distances.min(1, keepdims=True)
        shares = np.exp(-distances) / np.exp(-distances).sum(1, keepdims=True)
    return means
