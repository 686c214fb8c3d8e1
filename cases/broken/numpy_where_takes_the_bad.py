# breaks: value(sigmoid, [800.0, 1.0])
# breaks: value(entropy, [1.0, 0.0], [1.0, 0.0])
import numpy as np


def sigmoid(x):
    return np.where(x < 30, 0.5, np.exp(x) / (1 + np.exp(x)))  # expect: NAN106


def entropy(labels, p):
    p = np.clip(p, 0, 1)
    return -np.where(labels < 0.5, labels * np.log(p), 0).sum()  # expect: NAN202
