# breaks: value(centres_of, [[0.0], [1.0]], [[0.0], [9.0], [99.0]])
# breaks: value(means_per_class, [[0.0], [1.0]], [0, 0])
import numpy as np


def centres_of(x, centres):
    nearest = ((x[:, None] - centres[None]) ** 2).sum(axis=-1).argmin(axis=1)
    onehot = np.eye(len(centres))[nearest]
    counts = onehot.sum(axis=0)
    return (onehot.T @ x) / counts[:, None]  # expect: NAN302 unsafe


def means_per_class(x, labels, classes=3):
    belongs = np.eye(classes)[labels.astype(int)]
    return (belongs.T @ x) / belongs.sum(axis=0, keepdims=True).T  # expect: NAN302 unsafe
