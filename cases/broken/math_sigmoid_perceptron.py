# breaks: Perceptron([1.0]).activate([-1000.0])
import math


class Perceptron:
    def __init__(self, weights, bias=0.0):
        self.weights, self.bias = weights, bias

    def activate(self, inputs):
        z = sum(w * x for w, x in zip(self.weights, inputs)) + self.bias
        return 1.0 / (1.0 + math.exp(-z))  # expect: NAN106 possible
