# holds: value(standardize, [[1.0], [1.0]])
import numpy as np


def standardize(X):
    mu = X.mean(axis=0)
    sigma = X.std(axis=0)
    sigma[sigma == 0] = 1.0
    return (X - mu) / sigma
