# breaks: value(recall, [[0, 0], [0, 1]])
import numpy as np


def recall(confusion):
    return np.diag(confusion) / np.sum(confusion, axis=1)  # expect: NAN302 possible


def accuracy(y, p):
    return np.mean(np.array(y) == np.array(p))
