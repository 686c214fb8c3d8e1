# breaks: value(e_step, [1000.0], [0.0, 1.0], [1.0, 1.0])
import numpy as np


def e_step(x, mu, var):
    d = np.exp(-((x[:, None] - mu) ** 2) / (2 * var)) / np.sqrt(2 * np.pi * var)
    return d / d.sum(axis=1, keepdims=True)  # expect: NAN302 unsafe
