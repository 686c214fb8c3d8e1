# holds: value(centres_of, [[0.0], [1.0]], [[0.0], [9.0], [99.0]])
# holds: value(smoothed, [[0.0], [1.0]], [0, 0])
# holds: value(shares, [0, 0, 2])
# holds: value(means_of_occurring, [[0.0], [1.0]], [0, 0])
# holds: value(weight_of_each, [0, 0, 2])
import numpy as np


def centres_of(x, centres):
    nearest = ((x[:, None] - centres[None]) ** 2).sum(axis=-1).argmin(axis=1)
    onehot = np.eye(len(centres))[nearest]
    counts = onehot.sum(axis=0)
    return (onehot.T @ x) / np.maximum(counts, 1)[:, None]


def smoothed(x, labels, classes=3):
    belongs = np.eye(classes)[labels.astype(int)]
    return (belongs.T @ x) / (belongs.sum(axis=0)[:, None] + 1e-6)


def shares(labels, classes=3):
    belongs = np.eye(classes)[labels.astype(int)]
    return belongs / belongs.sum(axis=-1, keepdims=True)


def means_of_occurring(x, labels):
    found, places = np.unique(labels.astype(int), return_inverse=True)
    belongs = np.eye(len(found))[places]
    return (belongs.T @ x) / belongs.sum(axis=0)[:, None]


def weight_of_each(labels, classes=3):
    labels = labels.astype(int)
    counts = np.eye(classes)[labels].sum(axis=0)
    return 1.0 / counts[labels]
