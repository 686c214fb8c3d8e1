# breaks: value(NeuralNetwork(2, 3).predict, [[1000.0, 1000.0]])
import numpy as np


def relu(x):
    return np.maximum(0, x)


def softmax(x):
    return np.exp(x) / np.sum(np.exp(x), axis=1, keepdims=True)  # expect: NAN103


class NeuralNetwork:
    def __init__(self, n_in, n_hidden, n_out=2):
        self.w1 = np.ones((n_in, n_hidden))
        self.w2 = np.ones((n_hidden, n_out))

    def predict(self, x):
        return softmax(relu(x @ self.w1) @ self.w2)
