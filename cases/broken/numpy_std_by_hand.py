# breaks: value(standardise, [[1.0, 2.0], [1.0, 3.0]])
import numpy as np


def standardise(X):
    mu = X.mean(axis=0)
    sigma = np.sqrt(np.sum((X - mu) ** 2, axis=0) / X.shape[0])
    return (X - mu) / sigma  # expect: NAN304 unsafe
