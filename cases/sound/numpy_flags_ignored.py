# holds: value(log_prior, [0.5, 0.25]), value(odds, [-3.0, 2.0])
import numpy as np


def log_prior(x):
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(x, 0.0))


@np.errstate(over="ignore")
def odds(x):
    return np.log(1 + np.exp(x)).sum()
