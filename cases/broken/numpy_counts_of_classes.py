# breaks: log_prior(np.array([0, 2, 2]), 3)
import numpy as np


def log_prior(labels, classes):
    counts = np.bincount(labels, minlength=classes)
    return np.log(counts / counts.sum())  # expect: NAN201 unsafe
