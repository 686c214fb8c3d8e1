# breaks: value(relative_to_mean, [0.0, 3000.0]), value(relative_to_last, [3000.0, 0.0])
# breaks: value(at_least_one_event, [1e-20]), value(log_softplus, [1000.0])
import numpy as np


def relative_to_mean(logwt):
    weights = np.exp(logwt - logwt.mean())
    return weights / weights.sum()  # expect: NAN103


def relative_to_last(logwt):
    weights = np.exp(logwt - logwt[-1])
    return weights / weights.sum()  # expect: NAN103


def at_least_one_event(rate):
    return np.log1p(-np.exp(-rate))  # expect: NAN122


def log_softplus(x):
    with np.errstate(divide="ignore"):
        return np.log(1 + np.exp(x))  # expect: NAN105
