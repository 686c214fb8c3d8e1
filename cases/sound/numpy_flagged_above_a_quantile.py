# holds: value(lambda s: precision(s, np.array([1.0, 0.0, 0.0])), [2.0, 2.0, 2.0])
# holds: value(lambda s: of_the_largest(s, np.array([0.0, 0.0, 0.0])), [2.0, 1.0, 0.0])
# holds: value(lambda s: f_score(s, np.array([0.0, 0.0, 0.0])), [2.0, 1.0, 0.0])
import numpy as np


def precision(score, label, quantile=0.9):
    flagged = score >= np.quantile(score, quantile)
    return (flagged & (label == 1)).sum() / flagged.sum()


def of_the_largest(score, label):
    flagged = score >= np.sort(score)[-2]
    return (flagged & (label == 1)).sum() / flagged.sum()


def f_score(score, label):
    flagged = score >= np.percentile(score, 90)
    found = (flagged & (label == 1)).sum()
    return 2 * found / (flagged.sum() + (label == 1).sum())
