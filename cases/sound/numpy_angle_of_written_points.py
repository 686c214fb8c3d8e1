# holds: value(angle_at_start)
import numpy as np


def angle_at_start():
    point = np.array([-1, 1])
    start = np.array([0, 1])
    along = np.array([1, 0]) - start
    away = point - start
    cosine = np.dot(away, along) / (np.linalg.norm(away) * np.linalg.norm(along))
    return np.arccos(cosine)
