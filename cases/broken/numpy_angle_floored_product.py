# breaks: angle(np.array([0.1, 0.1, 0.3]), np.array([0.1, 0.1, 0.3]))
import numpy as np


def angle(a, b):
    lengths = max(np.linalg.norm(a) * np.linalg.norm(b), 1e-8)
    return np.arccos(np.dot(a, b) / lengths)  # expect: NAN208
