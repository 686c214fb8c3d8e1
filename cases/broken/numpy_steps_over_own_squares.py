# breaks: RMSProp(2).updated(np.ones(2), np.array([1.0, 0.0]))
# breaks: AdaGrad().updated({"w": np.ones(2)}, {"w": np.array([1.0, 0.0])})
import numpy as np


class RMSProp:
    def __init__(self, size, lr=0.01):
        self.lr = lr
        self.squares = np.zeros(size)

    def updated(self, w, grad):
        self.squares = 0.9 * self.squares + 0.1 * grad**2
        return w - self.lr * grad / np.sqrt(self.squares)  # expect: NAN309 no-fix


class AdaGrad:
    def __init__(self, lr=0.01):
        self.lr = lr
        self.squares = {}

    def updated(self, params, grads):
        for name in params:
            if name not in self.squares:
                self.squares[name] = np.zeros_like(params[name])
            self.squares[name] += grads[name] ** 2
            params[name] -= self.lr * grads[name] / np.sqrt(self.squares[name])  # expect: NAN309 no-fix
        return params["w"]
