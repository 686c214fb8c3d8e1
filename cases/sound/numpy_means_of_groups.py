# holds: value(means, [[1.0], [2.0]], [0, 1]), value(centred, [[1.0], [2.0]], [0, 1])
import numpy as np


def means(x, labels):
    return np.array([np.mean(x[labels == group], axis=0) for group in np.unique(labels)])


class Centres:
    def __init__(self):
        self.groups = None

    def fit(self, x, labels):
        self.groups = np.unique(labels) if labels is not None else None
        return self.of(x, labels)

    def of(self, x, labels):
        return np.array([x[labels == group].mean(axis=0) for group in self.groups])


def centred(x, labels):
    return Centres().fit(x, labels)
