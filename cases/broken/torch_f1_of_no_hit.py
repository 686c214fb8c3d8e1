"""Precision and recall are quotients of one masked sum: both are 0 where nothing is hit."""

# breaks: value(f1, [[0.2, 0.3]], [[1.0, 0.0]])
import torch


def f1(scores, labels):
    chosen = (scores > 0.5).float()
    hits = (chosen * labels).sum(1)
    precision = hits / (chosen.sum(1) + 1e-8)
    recall = hits / (labels.sum(1) + 1e-8)
    return (2 * precision * recall / (precision + recall)).mean()  # expect: NAN309 no-fix
