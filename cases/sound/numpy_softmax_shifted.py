# holds: value(softmax, [[1000.0, 1000.0]])
import numpy as np


def softmax(x):
    shifted = x - np.max(x, axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / np.sum(exps, axis=-1, keepdims=True)
