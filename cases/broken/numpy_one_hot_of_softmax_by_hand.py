"""The probability of the label, picked by a row of the identity: it underflows to 0."""

# breaks: value(loss, [[0.0, 800.0]], np.array([0]))
# breaks: value(assigned, [[0.0, 800.0]], np.array([0]))
import numpy as np


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def loss(z, labels):
    p = softmax(z)
    one_hot = np.eye(z.shape[1])[labels]
    return -np.log(np.sum(p * one_hot, axis=1)).mean()  # expect: NAN201 unsafe


def assigned(z, labels):
    p = softmax(z)
    hot = np.zeros_like(p)
    hot[np.arange(len(labels)), labels] = 1
    return -np.log((p * hot).sum(1)).mean()  # expect: NAN201 unsafe
