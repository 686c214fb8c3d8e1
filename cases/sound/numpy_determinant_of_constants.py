# holds: value(log_likelihood, [0.5, -0.5, 1.0])
import numpy as np

ndim = 3
covariance = np.identity(ndim)
covariance[covariance == 0] = 0.95
precision = np.linalg.inv(covariance)
constant = -0.5 * (np.log(2 * np.pi) * ndim + np.log(np.linalg.det(covariance)))

mixing = np.array([[1.0, 0.5], [0.5, 1.0]])
entropy = 0.5 * np.log(np.linalg.det(mixing * 0.3))


def log_likelihood(x):
    return -0.5 * x @ precision @ x + constant + entropy
