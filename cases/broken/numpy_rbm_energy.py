# breaks: RBM().free_energy(np.array([[1.0, 1.0]]) * 1000)
import numpy as np


class RBM:
    def __init__(self, n_visible=2, n_hidden=3):
        self.W = np.full((n_visible, n_hidden), 1.0)
        self.b = np.zeros(n_visible)
        self.c = np.zeros(n_hidden)

    def free_energy(self, v):
        wx_b = v @ self.W + self.c
        hidden_term = np.sum(np.log(1 + np.exp(wx_b)), axis=1)  # expect: NAN105
        return -hidden_term - v @ self.b
