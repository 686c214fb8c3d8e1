# possible: ignored
# holds: Shifted(2).updated(np.ones(2), np.array([1.0, 0.0]))
# holds: Begun(2).updated(np.ones(2), np.array([1.0, 0.0]))
# holds: OfOthers(2).updated(np.ones(2), np.array([1.0, 0.0]))
import numpy as np


class Shifted:
    def __init__(self, size, lr=0.01):
        self.lr = lr
        self.squares = np.zeros(size)

    def updated(self, w, grad):
        self.squares = 0.9 * self.squares + 0.1 * grad**2
        return w - self.lr * grad / np.sqrt(self.squares + 1e-8)


class Begun:
    def __init__(self, size, lr=0.01):
        self.lr = lr
        self.squares = np.ones(size)

    def updated(self, w, grad):
        self.squares = 0.9 * self.squares + 0.1 * grad**2
        return w - self.lr * grad / np.sqrt(self.squares)


class OfOthers:
    def __init__(self, size, lr=0.01):
        self.lr = lr
        self.squares = np.zeros(size)

    def updated(self, w, grad):
        distance = 1 + np.exp(-grad)
        self.squares = 0.9 * self.squares + 0.1 * distance**2
        return w - self.lr * distance / np.sqrt(self.squares)
