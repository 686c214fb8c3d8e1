# holds: basis(), mixed(2.0), scaled()
import numpy as np

up = np.array([0.0, 1.0, 0.0])


def basis():
    diagonal = np.array([1.0, 1.0, 1.0])
    return up / np.linalg.norm(up) + diagonal / np.linalg.norm(diagonal)


def mixed(t):
    tangent = np.array([1.0, t])
    return tangent / np.linalg.norm(tangent)


def scaled():
    levels = np.array([1.0, 2.0, 4.0])
    weights = np.ones(3)
    return (levels - levels.min()) / (levels.max() - levels.min()) + weights / weights.sum()
