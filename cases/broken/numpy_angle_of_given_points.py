# breaks: value(angle_at, [0.84, 0.46, 0.08], [0.0, 0.0, 0.0])
import numpy as np


def angle_at(point, start):
    along = 3 * point - start
    away = point - start
    cosine = np.dot(away, along) / (np.linalg.norm(away) * np.linalg.norm(along))
    return np.arccos(cosine)  # expect: NAN208 safe
