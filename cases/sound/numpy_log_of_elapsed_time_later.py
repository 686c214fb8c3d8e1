# holds: value(loss, [3.0, 4.0, 5.0], [1.0, 2.0, 4.0])
import numpy as np


def loss(counts, t):
    elapsed = (t - t[0])[1:]
    return np.mean((counts[1:] - 2.0 * np.log(elapsed)) ** 2)
