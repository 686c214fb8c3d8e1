# holds: value(reflection, [0.0, 0.0, 1.0])
# holds: value(look_at, [0.0, 1.0, 0.0], [0.0, 0.0, 0.0])
# An axis and a line of sight are given by who knows what they are: no call passes a zero vector.
import numpy as np


def reflection(axis):
    axis = np.asarray(axis) / np.linalg.norm(axis)
    return np.eye(3) - 2 * np.outer(axis, axis)


def look_at(position, target):
    z = target - position
    return z / np.linalg.norm(z)
