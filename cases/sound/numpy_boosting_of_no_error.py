"""An error of 0 is raised, clipped or handled first; a class of the data has members."""

# holds: value(lambda w: raised(w, np.array([1, 0]), np.array([1, 0])), [0.5, 0.5])
# holds: value(lambda w: clipped(w, np.array([1, 0]), np.array([1, 0])), [0.5, 0.5])
# holds: value(lambda w: handled(w, np.array([1, 0]), np.array([1, 0])), [0.5, 0.5])
# holds: value(lambda w: log_odds(w, np.array([1, 0])), [0.5, 0.5])
# holds: value(lambda w: information(w), [0.5, 0.5])
import numpy as np


def raised(w, guess, y):
    error = max(w[guess != y].sum(), 1e-10)
    return 0.5 * np.log((1 - error) / error)


def clipped(w, guess, y):
    error = np.clip(w[guess != y].sum(), 1e-10, 1 - 1e-10)
    return 0.5 * np.log((1 - error) / error)


def handled(w, guess, y):
    error = w[guess != y].sum()
    if error == 0:
        return 10.0
    return 0.5 * np.log((1 - error) / error)


def log_odds(w, y):
    return np.log(w[y == 1].sum() / w[y == 0].sum())


def information(values):
    return np.log(values[values > 1e-6].sum())
