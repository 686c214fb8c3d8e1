# breaks: value(lambda X: fit(X, np.zeros(2)), [[1.0, 0.0], [0.0, 1.0]])
import numpy as np


def fit(X, y, lr=0.1, epochs=5):
    w = np.zeros(X.shape[1])
    for _ in range(epochs):
        error = X @ w - y
        grad = X.T @ error / len(y)
        grad = grad / np.linalg.norm(grad)  # expect: NAN303 unsafe
        w -= lr * grad
    return w
