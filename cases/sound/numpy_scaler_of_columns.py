# holds: value(lambda x: ScalerWithOnes().fit(x).transform(x), [[1.0, 2.0], [1.0, 3.0]])
# holds: value(lambda x: ScalerWithWhere().fit(x).transform(x), [[1.0, 2.0], [1.0, 3.0]])
# holds: value(lambda x: ScalerWithEpsilon().fit(x).transform(x), [[1.0, 2.0], [1.0, 3.0]])
# holds: value(lambda x: RangeWithFloor().fit(x).transform(x), [[1.0, 2.0], [1.0, 3.0]])
# holds: value(lambda x: Whitened().fit(x).transform(x), [[1.0, 2.0], [1.0, 3.0]])
# holds: value(lambda x: ScalerInTwoSteps().fit(x).transform(x), [[1.0, 2.0], [1.0, 3.0]])
# holds: value(lambda x: ScaledByArgument().fit(x).transform(x, np.float64(2.0)), [[1.0, 2.0], [1.0, 3.0]])
import numpy as np


class ScalerWithOnes:
    def fit(self, X):
        self.mean_ = X.mean(axis=0)
        self.std_ = X.std(axis=0)
        self.std_[self.std_ == 0] = 1.0
        return self

    def transform(self, X):
        return (X - self.mean_) / self.std_


class ScalerWithWhere:
    def fit(self, X):
        self.mean_ = X.mean(axis=0)
        scale = X.std(axis=0)
        self.std_ = np.where(scale == 0, 1.0, scale)
        return self

    def transform(self, X):
        return (X - self.mean_) / self.std_


class ScalerWithEpsilon:
    def fit(self, X):
        self.mean_ = X.mean(axis=0)
        self.std_ = X.std(axis=0)
        return self

    def transform(self, X):
        return (X - self.mean_) / (self.std_ + 1e-8)


class RangeWithFloor:
    def fit(self, X):
        self.min_ = X.min(axis=0)
        self.max_ = X.max(axis=0)
        return self

    def transform(self, X):
        span = np.maximum(self.max_ - self.min_, 1e-12)
        return (X - self.min_) / span


class Whitened:
    def fit(self, X):
        self.mean_ = X.mean(axis=0)
        noisy = X + np.linspace(0.0, 1.0, len(X))[:, None]
        self.std_ = noisy.std(axis=0)
        return self

    def transform(self, X):
        return (X - self.mean_) / self.std_


class ScalerInTwoSteps:
    def fit(self, X):
        self.mean_ = X.mean(axis=0)
        self.std_ = X.std(axis=0)
        self._fill()
        return self

    def _fill(self):
        self.std_ = np.where(self.std_ < 1e-12, 1.0, self.std_)

    def transform(self, X):
        return (X - self.mean_) / self.std_


class ScaledByArgument:
    def fit(self, X):
        self.mean_ = X.mean(axis=0)
        return self

    def transform(self, X, scale):
        return (X - self.mean_) / scale
