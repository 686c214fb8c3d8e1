# holds: value(sigmoid, [800.0, -800.0])
# holds: value(softplus, [800.0, -800.0])
# holds: value(tanh, [800.0, -800.0])
# holds: value(entropy, [1.0, 0.0], [1.0, 0.0])
# holds: value(ratio, [1.0, 2.0], [0.0, 1.0])
# holds: value(softplus_of_three, [800.0, -800.0, 1.0])
import numpy as np


def sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x)))


def softplus(x):
    return np.where(x > 30, x, np.log(1 + np.exp(x)))


def tanh(x):
    steep = np.abs(x) > 20
    return np.where(steep, np.sign(x), (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x)))


def entropy(labels, p):
    p = np.clip(p, 0, 1)
    return -np.where(p > 0, labels * np.log(p), 0).sum()


def ratio(a, b):
    b = np.maximum(b, 0)
    return np.select([b > 0], [a / b], 0.0)


def softplus_of_three(x):
    return np.select([x > 20, x < -20], [x, 0.0], default=np.log(1 + np.exp(x)))
