"""Logits that are clipped first: no probability underflows."""

# holds: value(loss, [[0.0, 800.0]], np.array([0]))
import numpy as np


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def loss(z, labels):
    p = softmax(np.clip(z, -20.0, 20.0))
    one_hot = np.eye(z.shape[1])[labels]
    return -np.log(np.sum(p * one_hot, axis=1)).mean()
