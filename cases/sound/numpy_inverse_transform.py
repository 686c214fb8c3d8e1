# holds: exponential(10)
import numpy as np


def exponential(n, rate=1.0):
    return -np.log(1.0 - np.random.rand(n)) / rate


def gumbel(n):
    return -np.log(-np.log(np.random.uniform(1e-12, 1 - 1e-12, n)))
