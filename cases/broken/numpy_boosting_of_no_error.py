"""Weighs a weak learner by the odds of its error, which is 0 where all its guesses are right."""

# breaks: value(lambda w: alpha(w, np.array([1, 0]), np.array([1, 0])), [0.5, 0.5])
# breaks: value(lambda w: of_share(w, np.array([1, 0]), np.array([1, 0])), [0.5, 0.5])
# breaks: value(lambda w: of_product(w, np.array([1, 0]), np.array([1, 0])), [0.5, 0.5])
# breaks: value(lambda w: of_logarithms(w, np.array([1, 0]), np.array([1, 0])), [0.5, 0.5])
import numpy as np


def alpha(w, guess, y):
    error = w[guess != y].sum()
    return 0.5 * np.log((1 - error) / error)  # expect: NAN201 no-fix


def of_share(w, guess, y):
    error = w[guess != y].sum() / w.sum()
    return np.log((1.0 - error) / error)  # expect: NAN201 no-fix


def of_product(w, guess, y):
    error = np.dot(w, guess != y)
    return 0.5 * np.log((1 - error) / error)  # expect: NAN201 no-fix


def of_logarithms(w, guess, y):
    error = w[guess != y].sum()
    return 0.5 * (np.log(np.maximum(1 - error, 1e-3)) - np.log(error))  # expect: NAN201 unsafe
