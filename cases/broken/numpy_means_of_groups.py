# breaks: value(means_of_given, [[1.0], [2.0]], [0, 1], [0, 1, 2]), value(means_of_others, [[1.0], [2.0]], [0, 1], [0, 2])
import numpy as np


def means_of_given(x, labels, groups):
    means = [np.mean(x[labels == group], axis=0) for group in groups]  # expect: NAN307 no-fix
    return np.array(means)


class Centres:
    def fit(self, x, labels):
        self.groups = np.unique(labels)
        self.means = self.of(x, labels)
        return self

    def of(self, x, predicted):
        means = [x[predicted == one].mean(axis=0) for one in self.groups]  # expect: NAN307 no-fix
        return np.array(means)


def means_of_others(x, labels, others):
    return Centres().fit(x, others).of(x, labels)
