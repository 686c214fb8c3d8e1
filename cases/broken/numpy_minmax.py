# breaks: value(scale, [[1.0], [1.0]])
import numpy as np


def scale(X):
    lo = X.min(axis=0)
    hi = X.max(axis=0)
    return (X - lo) / (hi - lo)  # expect: NAN305 unsafe
