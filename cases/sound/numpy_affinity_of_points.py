# holds: value(transition, [[0.0], [1e6]]), value(smooth, [[0.0], [1e6]], [1.0, 2.0])
# Each point is at distance 0 from itself: no row of the affinities is all 0.
import numpy as np


def transition(X, sigma=1.0):
    squared = np.sum((X[:, None, :] - X[None, :, :]) ** 2, axis=2)
    W = np.exp(-squared / (2 * sigma**2))
    return W / W.sum(axis=1, keepdims=True)


def smooth(X, y, sigma=1.0):
    return transition(X, sigma) @ y
