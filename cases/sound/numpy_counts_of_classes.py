# holds: log_prior(np.array([0, 2, 2]), 3)
# holds: log_share(np.array([0, 2, 2]))
import numpy as np


def log_prior(labels, classes):
    counts = np.bincount(labels, minlength=classes)
    return np.log((counts + 1) / (counts.sum() + classes))


def log_share(labels):
    _, counts = np.unique(labels, return_counts=True)
    return np.log(counts / counts.sum())
