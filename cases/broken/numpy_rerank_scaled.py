# breaks: value(weights, [[100.0, 500.0]], [[800.0, 300.0]])
import numpy as np


def weights(points, centres):
    squared = ((points[:, None] - centres[None]) ** 2).sum(-1)
    weight = np.exp(-squared)
    return weight / np.sum(weight, axis=0)  # expect: NAN302 unsafe
