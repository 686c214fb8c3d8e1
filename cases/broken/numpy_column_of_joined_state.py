# breaks: value(loss, 1.0)
import numpy as np


def states():
    positions = np.linspace(-10.0, 10.0, 8)
    speeds = 0.99 * np.tanh(np.linspace(-10.0, 10.0, 8))
    return np.stack([positions, speeds])


def loss(scale):
    state = states()
    weights = np.sqrt(1 - state[0] ** 2)  # expect: NAN207 no-fix
    return np.sum(weights * scale * state[1])
