# holds: value(lambda x: listed(np.array([[0.0, 0.0], [x, 0.0]]), [0.5, 0.5], np.zeros((2, 2)), np.ones((2, 2))), 100.0)
# holds: value(lambda x: smoothed(x, np.zeros(3), np.ones(3), 1.0), 100.0)
import numpy as np


def log_density(x, mean, variance):
    return -((x - mean) ** 2) / (2 * variance) - 0.5 * np.log(2 * np.pi * variance)


def listed(x, shares, means, variances):
    parts = [np.log(p) + log_density(x, m, v).sum(1) for p, m, v in zip(shares, means, variances)]
    weights = np.stack(parts, 1)
    weights = np.exp(weights - weights.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)


def smoothed(x, data, targets, rate):
    weights = np.array([np.exp(-rate * np.sum((x - one) ** 2)) for one in data])
    return weights @ targets / (weights.sum() + 1e-12)
