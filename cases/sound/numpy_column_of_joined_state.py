# holds: value(loss, 1.0)
import numpy as np


def states():
    positions = np.linspace(-10.0, 10.0, 8)
    speeds = 0.99 * np.tanh(np.linspace(-10.0, 10.0, 8))
    return np.stack([positions, speeds])


def loss(scale):
    state = states()
    weights = 1 / np.sqrt(1 - state[1] ** 2)
    return np.sum(weights * scale * state[0])
