import numpy as np


def error(y):
    return np.mean((y - np.mean(y)) ** 2)


def gain(x, y, threshold):
    left = np.argwhere(x <= threshold).flatten()
    right = np.argwhere(x > threshold).flatten()
    if len(left) == 0 or len(right) == 0:
        return 0.0
    return error(y) - (len(left) * error(y[left]) + len(right) * error(y[right])) / len(y)


def mean_of_class(x, labels, wanted):
    places = np.where(labels == wanted)[0]
    if places.size == 0:
        return 0.0
    return np.mean(x[places])


def mean_above(x, threshold):
    places = np.flatnonzero(x > threshold)
    if not places.shape[0]:
        return threshold
    return np.mean(x[places])
