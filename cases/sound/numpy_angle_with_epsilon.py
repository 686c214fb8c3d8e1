# holds: angle(np.array([0.1, 0.1, 0.3]), np.array([0.1, 0.1, 0.3]))
# holds: angle_of_each(np.array([0.1, 0.1, 0.3]), np.array([0.1, 0.1, 0.3]))
import numpy as np


def angle(a, b):
    return np.arccos(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b) + 1e-8))


def angle_of_each(a, b):
    return np.arccos(np.dot(a, b) / ((np.linalg.norm(a) + 1e-8) * (np.linalg.norm(b) + 1e-8)))
