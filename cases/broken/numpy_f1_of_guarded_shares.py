# breaks: value(f1, [[0.0, 1.0]], [[1.0, 0.0]])
import numpy as np


def f1(labels, predictions):
    hits = np.sum(labels * predictions, axis=0)
    precision = hits / (np.sum(predictions, axis=0) + 1e-7)
    recall = hits / (np.sum(labels, axis=0) + 1e-7)
    return 1 - np.mean(2 * precision * recall / (precision + recall))  # expect: NAN309 no-fix


def f2(labels, predictions):
    hits = np.sum(labels * predictions, axis=0)
    precision = hits / np.maximum(np.sum(predictions, axis=0), 1.0)
    recall = hits / np.maximum(np.sum(labels, axis=0), 1.0)
    return 1 - np.mean(5 * precision * recall / (4 * precision + recall))  # expect: NAN309 no-fix
