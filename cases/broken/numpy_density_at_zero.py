import numpy as np


def log_proposal(model, space):
    def density(x):
        if space.contains(x):
            return np.log(np.clip(model.evaluate(x)[0], 0.0, np.inf))  # expect: NAN201 unsafe
        return np.array([0.0])

    return density


def loss(x):
    return -np.log(np.clip(x, 0.0, 1.0)).sum(axis=1)  # expect: NAN201 unsafe
