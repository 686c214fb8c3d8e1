# breaks: value(lambda x: StandardScaler().fit(x).transform(x), [[1.0, 2.0], [1.0, 3.0]])
# breaks: value(lambda x: MinMaxScaler().fit(x).transform(x), [[1.0, 2.0], [1.0, 3.0]])
import numpy as np


class StandardScaler:
    def __init__(self):
        self.mean_ = None
        self.std_ = None

    def fit(self, X):
        X = np.asarray(X)
        self.mean_ = np.mean(X, axis=0)
        self.std_ = np.std(X, axis=0)
        return self

    def transform(self, X):
        return (X - self.mean_) / self.std_  # expect: NAN309 no-fix


class MinMaxScaler:
    def fit(self, X):
        self.min_, self.max_ = X.min(axis=0), X.max(axis=0)
        return self

    def transform(self, X):
        return (X - self.min_) / (self.max_ - self.min_)  # expect: NAN309 no-fix
