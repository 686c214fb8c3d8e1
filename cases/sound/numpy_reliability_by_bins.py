# holds: curve(np.array([0.9, 0.95]), np.array([1.0, 0.0]), np.linspace(0.0, 1.0, 5))
# holds: of_filled(np.array([0.9, 0.95]), np.array([1.0, 0.0]), np.linspace(0.0, 1.0, 5))
import numpy as np


def curve(confidence, correct, edges):
    place = np.digitize(confidence, edges[1:-1])
    rows = []
    for k in range(len(edges) - 1):
        inside = place == k
        rows.append(correct[inside].mean() if inside.any() else 0.0)
    return np.array(rows)


def of_filled(confidence, correct, edges):
    place = np.digitize(confidence, edges[1:-1])
    return np.array([correct[place == k].mean() for k in np.unique(place)])
