# holds: value(height, [[0.0, 1.0], [1.0, 2.0]], [-1.0, -1.0])
# holds: value(centres, [[0.0, 1.0], [1.0, 2.0]], [1.0, 1.0])
# holds: value(middle, [[0.0, 1.0], [1.0, 2.0]])
import numpy as np


def height(points, depth):
    chosen = points[depth > 0, 1]
    if len(chosen) == 0:
        return 0.0
    return np.mean(chosen)


def centres(points, labels, number=2):
    found = []
    for label in range(number):
        mask = labels == label
        if mask.any():
            found.append(points[mask, 0].mean())
    return np.stack(found)


def middle(points):
    return np.mean(points[[0, 1], 1])
