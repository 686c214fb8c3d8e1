# breaks: value(lambda x: standardized(x), [[1.0, 2.0], [1.0, 3.0]])
# breaks: value(lambda x: of_images(x), [[1.0, 1.0], [2.0, 3.0]])
# breaks: value(lambda x: Scaler().fit(x).transform(x), [[1.0, 2.0], [1.0, 3.0]])
import numpy as np


def standardized(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)  # expect: NAN304 unsafe


def of_images(x):
    low, high = x.min(axis=1, keepdims=True), x.max(axis=1, keepdims=True)
    return (x - low) / (high - low)  # expect: NAN305 unsafe


def contrast(x):
    return (x - x.min()) / (x.max() - x.min())  # expect: NAN305 unsafe


class Scaler:
    def fit(self, x):
        known = np.log1p(np.asarray(x))
        self.mean, self.std = known.mean(0), known.std(0)
        return self

    def transform(self, x):
        return (np.log1p(x) - self.mean) / self.std  # expect: NAN309 no-fix


def prepare(path):
    table = np.load(path)
    images = np.load(path).astype(np.float32)
    return standardized(table[:, :-1]), of_images(images), Scaler().fit(table)


def seen(path):
    import cv2

    return contrast(cv2.imread(path))
