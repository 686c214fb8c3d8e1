# holds: log_density(np.array([100.0, 2.0]), np.array([0.0, 2.0]), np.array([1.0, 0.0]))
import numpy as np


def log_density(x, mean, var, smoothing=1e-9):
    var = var + smoothing
    return -0.5 * np.sum(np.log(2 * np.pi * var) + (x - mean) ** 2 / var)
