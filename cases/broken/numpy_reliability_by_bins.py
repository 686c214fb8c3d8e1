# breaks: curve(np.array([0.9, 0.95]), np.array([1.0, 0.0]), np.linspace(0.0, 1.0, 5))
import numpy as np


def curve(confidence, correct, edges):
    place = np.digitize(confidence, edges[1:-1])
    rows = []
    for k in range(len(edges) - 1):
        inside = place == k
        rows.append(correct[inside].mean())  # expect: NAN307 no-fix
    return np.array(rows)
