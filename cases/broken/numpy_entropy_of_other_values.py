# breaks: entropy(np.array([0, 1, 2]), np.array([True, False, True]))
# breaks: mean_of_each(np.array([0, 1, 2]), np.array([True, False, True]), np.array([1.0, 2.0, 3.0]))
# A value of the whole array need not occur in a part of it.
import numpy as np


def entropy(labels, chosen):
    part = labels[chosen]
    shares = np.array([np.mean(part == value) for value in np.unique(labels)])
    return -np.sum(shares * np.log2(shares))  # expect: NAN202


def mean_of_each(labels, chosen, x):
    part, selected = labels[chosen], x[chosen]
    return np.array([selected[part == value].mean() for value in np.unique(labels)])  # expect: NAN307 possible
