# breaks: value(means_of_given, [[1.0], [2.0]], [0, 1], [0, 1, 2]), value(means_of_others, [[1.0], [2.0]], [0, 1], [0, 2])
import numpy as np


def means_of_given(x, labels, groups):
    return np.array(
        [np.mean(x[labels == group], axis=0) for group in groups]
    )  # expect: NAN307 no-fix


class Centres:
    def fit(self, x, labels):
        self.groups = np.unique(labels)
        self.means = self.of(x, labels)
        return self

    def of(self, x, predicted):
        return np.array(
            [x[predicted == group].mean(axis=0) for group in self.groups]
        )  # expect: NAN307 no-fix


def means_of_others(x, labels, others):
    return Centres().fit(x, others).of(x, labels)
