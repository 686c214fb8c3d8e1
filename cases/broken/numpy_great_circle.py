# breaks: value(central_angle, [1.0, 1.0, 1.0], [1.0, 1.0, 1.0])
import numpy as np


def central_angle(a, b):
    a, b = np.asarray(a), np.asarray(b)
    cos = a @ b / (np.linalg.norm(a) * np.linalg.norm(b))  # expect: NAN303 possible
    return np.degrees(np.arccos(cos))  # expect: NAN208
