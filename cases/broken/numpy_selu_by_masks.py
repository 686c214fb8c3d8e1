# breaks: value(selu, [-1.0, 800.0])
import numpy as np


def selu(x):
    positive = (x > 0).astype(x.dtype)
    negative = (x <= 0).astype(x.dtype)
    return 1.0507 * (positive * x + 1.6733 * (negative * (np.exp(x) - 1.0)))  # expect: NAN404
