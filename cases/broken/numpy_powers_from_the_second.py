# breaks: value(weights, 0.0, 5)
import numpy as np


def weights(alpha, order):
    powers = alpha ** np.arange(1, order)
    return powers / np.sum(np.abs(powers))  # expect: NAN302 unsafe
