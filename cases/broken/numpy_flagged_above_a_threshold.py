# breaks: value(lambda s: precision(s, np.array([1.0, 0.0]), np.array([9.0, 9.0])), [2.0, 1.0])
# breaks: value(lambda s: above_the_mean(s, np.array([1.0, 0.0])), [2.0, 2.0])
import numpy as np


def precision(score, label, others):
    flagged = score >= np.quantile(others, 0.9)
    return (flagged & (label == 1)).sum() / flagged.sum()  # expect: NAN301


def above_the_mean(score, label):
    flagged = score > score.mean()
    return (flagged & (label == 1)).sum() / flagged.sum()  # todo-expect: NAN301
