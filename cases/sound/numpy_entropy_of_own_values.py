# holds: entropy(np.array([0, 2, 2]))
# holds: entropy_by_sizes(np.array([0, 2, 2]))
# holds: entropy_by_places(np.array([0, 2, 2]))
# holds: log_priors(np.array([0, 2, 2]))
# Each value of an array occurs in it.
import numpy as np


def entropy(labels):
    shares = np.array([np.mean(labels == value) for value in np.unique(labels)])
    return -np.sum(shares * np.log2(shares))


def entropy_by_sizes(labels):
    total = 0.0
    for value in set(labels):
        share = len(labels[labels == value]) / len(labels)
        total -= share * np.log(share)
    return total


def entropy_by_places(labels):
    values = np.unique(labels)
    total = 0.0
    for i in range(len(values)):
        share = len(np.where(labels == values[i])[0]) / labels.shape[0]
        total += -share * np.log2(share)
    return total


def log_priors(labels):
    return np.array([np.log((labels == value).sum() / len(labels)) for value in np.unique(labels)])
