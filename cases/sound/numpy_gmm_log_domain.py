# holds: responsibilities(np.array([1000.0]), np.array([0.0, 1.0]), np.ones(2))
import numpy as np


def responsibilities(x, mu, var):
    log_d = -((x[:, None] - mu) ** 2) / (2 * var) - 0.5 * np.log(2 * np.pi * var)
    log_d = log_d - log_d.max(axis=1, keepdims=True)
    d = np.exp(log_d)
    return d / d.sum(axis=1, keepdims=True)
