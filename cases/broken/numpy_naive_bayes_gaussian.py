# breaks: Bayes().fit(np.array([[0.0], [0.1], [5.0], [5.1]]), np.array([0, 0, 1, 1])).posteriors([100.0])
import numpy as np


class Bayes:
    def fit(self, X, y):
        self.classes = np.unique(y)
        self.mean = np.array([X[y == c].mean(axis=0) for c in self.classes])
        self.var = np.array([X[y == c].var(axis=0) for c in self.classes])
        self.priors = np.array([np.mean(y == c) for c in self.classes])
        return self

    def _pdf(self, k, x):
        numerator = np.exp(-((x - self.mean[k]) ** 2) / (2 * self.var[k]))
        return numerator / np.sqrt(2 * np.pi * self.var[k])

    def posteriors(self, x):
        found = []
        for k in range(len(self.classes)):
            found.append(np.log(self.priors[k]) + np.sum(np.log(self._pdf(k, x))))  # expect: NAN201 unsafe
        return np.array(found)
