"""What is computed of an empty selection is written to other elements."""

# breaks: value(lambda x: means_by_column(x, np.array([0, 0]), 2), [[1.0, 2.0], [3.0, 4.0]])
# breaks: value(lambda x: weights(np.array([0, 0]), x), [1.0, 2.0])
import numpy as np


def means_by_column(x, labels, classes):
    out = np.zeros((classes, x.shape[1]))
    for label in range(classes):
        mask = labels == label
        for column in range(x.shape[1]):
            out[label, column] = x[mask, column].mean()  # expect: NAN307 no-fix
    return out


def weights(groups, y):
    found = np.ones(len(y))
    for group in range(3):
        mask = groups == group
        weight = len(y) / np.sum(mask)  # expect: NAN301 no-fix
        found[~mask] = weight
    return found
