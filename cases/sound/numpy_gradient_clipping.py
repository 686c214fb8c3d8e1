# holds: value(clip, [0.0, 0.0])
import numpy as np


def clip(grad, threshold=1.0):
    norm = np.linalg.norm(grad)
    if norm > threshold:
        grad = grad * threshold / norm
    return grad


def direction(grad):
    norm = np.linalg.norm(grad)
    if norm == 0:
        return grad
    return grad / norm
