"""Precision and recall are quotients of one masked sum: both are 0 where nothing is hit."""

# breaks: value(lambda s: f1(s, np.array([1.0, 0.0])), [0.2, 0.3])
import numpy as np


def f1(scores, labels):
    chosen = scores > 0.5
    hits = np.sum(chosen * labels)
    precision = hits / (chosen.sum() + 1e-9)
    recall = hits / (labels.sum() + 1e-9)
    return 2 * precision * recall / (precision + recall)  # expect: NAN309 no-fix
