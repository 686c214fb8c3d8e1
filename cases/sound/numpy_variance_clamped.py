# holds: value(running_std, [1.1, 1.1, 1.1])
import numpy as np


def running_std(x):
    var = np.mean(x**2) - np.mean(x) ** 2
    return np.sqrt(np.maximum(var, 0.0))
