# breaks: value(log_likelihood, [0.0, 0.0, 0.0, 0.0], [1e-100, 1e-100, 1e-100, 1e-100])
import numpy as np


def log_likelihood(x, variances):
    covariance = np.identity(4)
    covariance[covariance == 1] = variances
    constant = -0.5 * np.log(np.linalg.det(covariance))  # expect: NAN109
    return constant - 0.5 * x @ x
