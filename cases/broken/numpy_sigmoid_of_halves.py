# breaks: value(loss, [[1000.0], [-1000.0]], [1.0], [1.0, 1.0])
# breaks: value(loss_the_other_way, [[1000.0], [-1000.0]], [1.0], [1.0, 1.0])
import numpy as np


def sigmoid(z):
    out = np.empty_like(z)
    positive = z >= 0
    out[positive] = 1.0 / (1.0 + np.exp(-z[positive]))
    exponential = np.exp(z[~positive])
    out[~positive] = exponential / (1.0 + exponential)
    return out


def sigmoid_the_other_way(z):
    out = np.zeros_like(z)
    out[z < 0] = np.exp(z[z < 0]) / (1.0 + np.exp(z[z < 0]))
    out[z >= 0] = 1.0 / (1.0 + np.exp(-z[z >= 0]))
    return out


def loss(x, w, y):
    p = sigmoid(x @ w)
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))  # expect: NAN108 no-fix


def loss_the_other_way(x, w, y):
    p = sigmoid_the_other_way(x @ w)
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))  # expect: NAN108 no-fix
