# breaks: value(lambda x: Scaler().fit(x).transform(x), [[1.0, 2.0], [1.0, 3.0]])
import torch


class Scaler:
    def fit(self, x):
        self.mean = x.mean(0, keepdim=True)
        self.std = x.std(0, unbiased=False, keepdim=True)
        return self

    def transform(self, x):
        return (x - self.mean) / self.std  # expect: NAN309 no-fix

    def inverse(self, x):
        return x * self.std + self.mean
