# holds: balanced(np.array([0, 2, 0])), shares(np.array([0, 1, 0]), 3)
import numpy as np


def balanced(labels):
    _, counts = np.unique(labels, return_counts=True)
    return len(labels) / (len(counts) * counts)


def shares(labels, n_classes):
    counts = np.bincount(labels, minlength=n_classes)
    return counts / counts.sum()


def rest_of_control(y, predicted, group, n):
    share = np.bincount(group, minlength=n) / group.size
    control = group == 0
    return (y[control] - predicted[control]) / share[0]
