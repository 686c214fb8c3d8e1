# breaks: value(cost, [[-1000.0]], [1.0], [1.0])
import numpy as np


def sigmoid(z):
    return 1 / (1 + np.exp(-np.clip(z, -500, 500)))


def cost(X, y, theta):
    h = 1 / (1 + np.exp(-X.dot(theta)))
    return -np.mean(y * np.log(h) + (1 - y) * np.log(1 - h))  # expect: NAN108 no-fix


def gradient_descent(X, y, theta, alpha=0.01, n=1000):
    for i in range(n):
        theta = theta - alpha * X.T.dot(sigmoid(X.dot(theta)) - y) / len(y)
    return theta
