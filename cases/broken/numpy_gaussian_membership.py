# breaks: value(membership, [[40.0, 0.0], [0.0, 0.0]], [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]])
# breaks: value(membership_of_near, [[40.0, 0.0], [40.0, 40.0]], [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]])
import numpy as np


def membership(x, centre, precision):
    offsets = x - centre
    weights = np.exp(0.5 * np.sum(np.dot(offsets, precision) * offsets, axis=1))
    return weights / np.sum(weights)  # expect: NAN103


def membership_of_near(x, centre, precision):
    offsets = x - centre
    weights = np.exp(-0.5 * np.sum(np.dot(offsets, precision) * offsets, axis=1))
    return weights / np.sum(weights)  # expect: NAN302 unsafe
