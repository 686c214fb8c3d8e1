import numpy as np


def gain(x, y, threshold):
    left = np.argwhere(x <= threshold).flatten()
    right = np.argwhere(x > threshold).flatten()
    if len(left) == 0:
        return 0.0
    return np.mean(y[left]) - np.mean(y[right])  # expect: NAN307 no-fix


def mean_of_class(x, labels, wanted):
    chosen = labels == wanted
    if chosen.size == 0:
        return 0.0
    return np.mean(x[chosen])  # expect: NAN307 no-fix


def mean_above(x, threshold):
    places = np.flatnonzero(x > threshold)
    return np.mean(x[places])  # expect: NAN307 no-fix
