"""The derivative of a softplus by hand: upstream gradients times a quotient of exponentials."""

# breaks: value(lambda x: passed_back(x, np.ones(2)), [1000.0, 0.0])
import numpy as np


class Softplus:
    def forward(self, x):
        self.x = x
        return np.logaddexp(0, x)

    def backward(self, d):
        return d * np.exp(self.x) / (1 + np.exp(self.x))  # expect: NAN106


def passed_back(x, d):
    layer = Softplus()
    layer.forward(x)
    return layer.backward(d)
