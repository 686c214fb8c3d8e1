# holds: value(lambda x: weigh(x, np.zeros(2)), [[100.0, 100.0]])
import numpy as np


def weigh(particles, mean):
    squares = np.sum((particles - mean) ** 2, axis=1)
    weights = np.exp(-0.5 * (squares - squares.min()))
    return weights / weights.sum()
