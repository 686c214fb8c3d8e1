import numpy as np


def log_proposal(model, space):
    def density(x):
        if space.contains(x):
            return np.log(np.clip(model.evaluate(x)[0], 0.0, np.inf))
        return np.array([-np.inf])

    return density


def likelihood(x):
    return np.exp(np.log(np.clip(x, 0.0, 1.0)).sum(axis=1))
