# holds: reliability(np.array([0.91, 0.95]), np.array([1.0, 0.0]))
# holds: of_those_that_occur(np.array([0.91, 0.95]), np.array([1.0, 0.0]))
# holds: between_edges(np.array([0.91, 0.95]), np.array([1.0, 0.0]))
# holds: of_equal_size(np.linspace(0.0, 0.2, 20), np.ones(20))
# holds: between_quantiles(np.linspace(0.0, 0.2, 20), np.ones(20))
# holds: of_frames(np.ones(4), np.array([0.0, 0.01, 0.1, 0.2]))
import numpy as np


def reliability(conf, correct, bins=10):
    idx = np.minimum((conf * bins).astype(int), bins - 1)
    return np.array([correct[idx == b].mean() for b in range(bins) if (idx == b).any()])


def of_those_that_occur(conf, correct):
    idx = (conf * 10).astype(int)
    return np.array([correct[idx == b].mean() for b in np.unique(idx)])


def between_edges(confidence, correct, bins=10):
    edges = np.linspace(0.0, 1.0, bins + 1)
    rows = np.zeros(bins)
    for k in range(bins):
        inside = (confidence > edges[k]) & (confidence <= edges[k + 1])
        if inside.sum() > 0:
            rows[k] = correct[inside].mean()
    return rows


def of_equal_size(score, correct):
    idx = np.argsort(np.argsort(score)) * 10 // len(score)
    return np.array([correct[idx == b].mean() for b in range(10)])


def between_quantiles(score, correct, bins=4):
    edges = np.quantile(score, np.linspace(0, 1, bins + 1))
    rows = []
    for lower, upper in zip(edges[:-1], edges[1:]):
        inside = (score >= lower) & (score <= upper)
        rows.append(correct[inside].mean())
    return np.array(rows)


def of_frames(x, t):
    frame = np.floor(t / 0.1).astype(int)
    return [x[frame == k].mean() for k in range(frame.max() + 1)]
