# breaks: curve(np.array([0.91, 0.95]), np.array([1.0, 0.0]))
import numpy as np


def curve(confidence, correct, bins=10):
    edges = np.linspace(0.0, 1.0, bins + 1)
    rows = []
    for lower, upper in zip(edges[:-1], edges[1:]):
        inside = (confidence > lower) & (confidence <= upper)
        rows.append(correct[inside].mean())  # expect: NAN307 no-fix
    return np.array(rows)
