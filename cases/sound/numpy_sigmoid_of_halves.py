# holds: value(loss, [[1000.0], [-1000.0]], [1.0], [1.0, 1.0])
# holds: value(hits, [[1000.0], [-1000.0]], [1.0], [1.0, 1.0])
# holds: value(slope, [1000.0, -1000.0])
# holds: value(bounded, [1000.0, -1000.0])
import numpy as np


def sigmoid(z):
    out = np.empty_like(z)
    positive = z >= 0
    out[positive] = 1.0 / (1.0 + np.exp(-z[positive]))
    exponential = np.exp(z[~positive])
    out[~positive] = exponential / (1.0 + exponential)
    return out


def loss(x, w, y):
    p = np.clip(sigmoid(x @ w), 1e-7, 1 - 1e-7)
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


def hits(x, w, y):
    return np.mean((sigmoid(x @ w) > 0.5) == y)


def slope(z):
    p = sigmoid(z)
    return p * (1 - p)


def bounded(z):
    out = np.full_like(z, 0.5)
    far = z >= 5.0
    out[far] = 1.0 / (1.0 + np.exp(-z[far]))
    return np.log(out)
