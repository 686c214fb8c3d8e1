# holds: value(cost, [[-1000.0]], [1.0], [1.0])
import numpy as np


def sigmoid(z):
    z = np.clip(z, -500, 500)
    return 1 / (1 + np.exp(-z))


def cost(X, y, theta):
    h = np.clip(sigmoid(X.dot(theta)), 1e-10, 1 - 1e-10)
    return -np.mean(y * np.log(h) + (1 - y) * np.log(1 - h))
