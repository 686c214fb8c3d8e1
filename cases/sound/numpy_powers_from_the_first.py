# holds: value(weights, 0.0, 5)
import numpy as np


def weights(alpha, order):
    powers = alpha ** np.arange(order)
    return powers / np.sum(np.abs(powers))
