"""What is computed of a selection is written only to what the same mask selects."""

# holds: value(lambda x: means_by_column(x, np.array([0, 0]), 2), [[1.0, 2.0], [3.0, 4.0]])
# holds: value(lambda x: weights(np.array([0, 0]), x), [1.0, 2.0])
import numpy as np


def means_by_column(x, labels, classes):
    out = np.zeros(x.shape)
    for label in range(classes):
        mask = labels == label
        for column in range(x.shape[1]):
            out[mask, column] = x[mask, column].mean()
    return out


def weights(groups, y):
    found = np.ones(len(y))
    for group in range(3):
        mask = groups == group
        weight = len(y) / np.sum(mask)
        found[mask] = weight
    return found
