# breaks: value(cross_entropy, [[1000.0, 0.0]], [[1.0, 0.0]])
import numpy as np


def stable_softmax(z):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def cross_entropy(z, onehot):
    a = stable_softmax(z)
    return -np.sum(onehot * np.log(a)) / z.shape[0]  # expect: NAN101 no-fix
