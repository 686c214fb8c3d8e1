# breaks: em_step(np.array([[1000.0]]), np.array([[0.0], [1.0]]), np.ones((2, 1)), np.array([0.5, 0.5]))
import numpy as np


def em_step(X, mu, var, pi):
    diff = X[:, None, :] - mu[None, :, :]
    density = np.exp(-0.5 * np.sum(diff**2 / var, axis=2))
    density /= np.sqrt(np.prod(2 * np.pi * var, axis=1))
    weighted = pi * density
    log_likelihood = np.sum(np.log(weighted.sum(axis=1)))  # expect: NAN104 no-fix
    resp = weighted / weighted.sum(axis=1, keepdims=True)  # expect: NAN302 unsafe
    return log_likelihood, resp
