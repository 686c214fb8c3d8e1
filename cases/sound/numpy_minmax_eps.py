# holds: value(scale, [[1.0], [1.0]])
import numpy as np


def scale(X, eps=1e-8):
    lo, hi = X.min(axis=0), X.max(axis=0)
    return (X - lo) / (hi - lo + eps)


def to_unit(image):
    return image.astype("float32") / 255.0
