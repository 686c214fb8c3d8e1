# holds: value(cross_entropy, [[1.0, 0.0]], [[1.0, 0.0]])
import numpy as np


def cross_entropy(probs, onehot):
    return -np.sum(onehot * np.log(probs + 1e-9)) / probs.shape[0]


def backward(probs, onehot):
    return (probs - onehot) / len(onehot)
