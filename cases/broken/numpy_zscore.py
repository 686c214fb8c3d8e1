# breaks: value(standardize, [[1.0], [1.0]])
import numpy as np


def standardize(X):
    mu = np.mean(X, axis=0)
    sigma = np.std(X, axis=0)
    return (X - mu) / sigma, mu, sigma  # expect: NAN304 unsafe
