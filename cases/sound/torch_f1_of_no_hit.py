"""An epsilon in the last divisor, too; and sums of two masks of which one always selects."""

# holds: value(f1, [[0.2, 0.3]], [[1.0, 0.0]])
# holds: value(share, [1.0, 2.0], [0.2, 0.3])
import torch


def f1(scores, labels):
    chosen = (scores > 0.5).float()
    hits = (chosen * labels).sum(1)
    precision = hits / (chosen.sum(1) + 1e-8)
    recall = hits / (labels.sum(1) + 1e-8)
    return (2 * precision * recall / (precision + recall + 1e-8)).mean()


def share(x, scores):
    chosen = (scores > 0.5).float()
    weights = (x - x.max()).exp()
    own = (weights * chosen).sum()
    others = (weights * (1 - chosen)).sum()
    return own / (own + others)
