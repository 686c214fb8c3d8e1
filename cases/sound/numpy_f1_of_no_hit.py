"""The case that nothing is hit has an answer of its own."""

# holds: value(lambda s: f1(s, np.array([1.0, 0.0])), [0.2, 0.3])
import numpy as np


def f1(scores, labels):
    chosen = scores > 0.5
    hits = np.sum(chosen * labels)
    precision = hits / (chosen.sum() + 1e-9)
    recall = hits / (labels.sum() + 1e-9)
    if precision + recall == 0:
        return 0.0
    return 2 * precision * recall / (precision + recall)
