# holds: value(f1, [[0.0, 1.0]], [[1.0, 0.0]])
# holds: value(dice, [[0.0, 1.0]], [[1.0, 0.0]])
import numpy as np


def f1(labels, predictions):
    hits = np.sum(labels * predictions, axis=0)
    precision = hits / (np.sum(predictions, axis=0) + 1e-7)
    recall = hits / (np.sum(labels, axis=0) + 1e-7)
    return 1 - np.mean(2 * precision * recall / (precision + recall + 1e-7))


def dice(labels, predictions):
    hits = np.sum(labels * predictions, axis=0) + 1.0
    precision = hits / (np.sum(predictions, axis=0) + 1.0)
    recall = hits / (np.sum(labels, axis=0) + 1.0)
    return 1 - np.mean(2 * precision * recall / (precision + recall))
