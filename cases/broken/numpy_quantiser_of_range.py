# breaks: value(lambda x: affine(x), [0.0, 0.0])
# breaks: value(lambda x: zero_point(x), [2.0, 2.0])
import numpy as np


def affine(x, bits=8):
    low, high = min(x.min(), 0.0), max(x.max(), 0.0)
    scale = (high - low) / (2**bits - 1)
    return np.round(x / scale)  # expect: NAN309 no-fix


def zero_point(x):
    scale = (x.max() - x.min()) / 255
    zero = np.round(-x.min() / scale)  # expect: NAN309 no-fix
    return np.clip(np.round(x / scale) + zero, 0, 255)  # expect: NAN309 no-fix
