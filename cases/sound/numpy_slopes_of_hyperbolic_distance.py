# holds: value(slopes, [[0.1, 0.2]], [[0.3, 0.1]])
import numpy as np


class Batch:
    def __init__(self, u, v):
        self.u = u
        self.v = v
        self.gamma = None

    def compute_distances(self):
        alpha = 1 - np.linalg.norm(self.u, axis=1) ** 2
        beta = 1 - np.linalg.norm(self.v, axis=1) ** 2
        between = np.linalg.norm(self.u - self.v, axis=1)
        gamma = 1 + 2 * between**2 / (alpha * beta)
        self.distances = np.arccosh(gamma)
        self.alpha, self.beta, self.gamma = alpha, beta, gamma

    def compute_slopes(self):
        self.compute_distances()
        slopes = 4 / (self.alpha * self.beta * np.sqrt(self.gamma**2 - 1))
        coincide = self.gamma == 1
        if coincide.any():
            slopes[coincide] = 0
        return slopes


def slopes(u, v):
    return Batch(u, v).compute_slopes()
