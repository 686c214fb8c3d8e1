# breaks: value(deviation, [0.0, 10.0, 20.0], [0.0, 10.0, 20.0])
import numpy as np


def kernel(a, b):
    return 0.9 * np.exp(-0.5 * (a[:, None] - b[None, :]) ** 2)


def deviation(x, new, jitter=1e-17):
    factor = np.linalg.cholesky(kernel(x, x) + jitter * np.eye(len(x)))
    solved = np.linalg.solve(factor, kernel(x, new))
    covariance = kernel(new, new) - solved.T @ solved
    return np.sqrt(np.diag(covariance))  # expect: NAN116 no-fix
