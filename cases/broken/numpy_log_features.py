# breaks: value(transform, 64)
import numpy as np


def transform(n):
    features = np.random.normal(size=(n, 8))
    return np.maximum(np.log(features + 1), 0)  # expect: NAN214
