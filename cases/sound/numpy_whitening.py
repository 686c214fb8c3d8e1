# holds: value(lambda x: whitened(np.sin(np.arange(30.0)).reshape(5, 6) * x), 1.0)
# holds: value(lambda x: of_largest(np.sin(np.arange(30.0)).reshape(5, 6) * x), 1.0)
# holds: value(lambda x: ridged(np.sin(np.arange(30.0)).reshape(5, 6) * x), 1.0)
import numpy as np


def whitened(x):
    values, vectors = np.linalg.eigh(np.cov(x.T))
    return x @ vectors / np.sqrt(np.maximum(values, 1e-6))


def of_largest(x, count=1):
    values, vectors = np.linalg.eigh(np.cov(x.T))
    return x @ vectors[:, -count:] / np.sqrt(values[-count:])


def ridged(x):
    values, vectors = np.linalg.eigh(np.cov(x.T) + 1e-6 * np.eye(6))
    return x @ vectors / np.sqrt(values)
