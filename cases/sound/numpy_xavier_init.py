# holds: init(3, 4)
import numpy as np


def init(n_in, n_out):
    limit = np.sqrt(6 / (n_in + n_out))
    w = np.random.uniform(-limit, limit, (n_in, n_out))
    return w, np.zeros(n_out), np.random.randn(n_in) * np.sqrt(2.0 / n_in)
