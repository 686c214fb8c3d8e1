# holds: value(weights, [[1.0, 500.0], [800.0, 3.0]])
import numpy as np


def weights(distance):
    squared = np.power(distance, 2)
    scaled = 1.0 * squared / np.max(np.maximum(squared, 1e-12), axis=0)
    weight = np.exp(-scaled)
    return weight / np.sum(weight, axis=0)
