# holds: value(posterior_weights, [-900.0, -2.0, -1.0], [-800.0, -1.5, -0.5])
# holds: value(weights_of_results, [-900.0, -2.0, -1.0], [-800.0, -1.5, -0.5])
# holds: value(log_shells, [-0.1, -0.2, -0.4]), value(log_shell, 500.0), value(log_difference, 0.0, -1e-9)
import numpy as np


def posterior_weights(logwt, logz):
    weights = np.exp(logwt - logz[-1])
    weights /= np.sum(weights)
    return weights


def weights_of_results(logwt, logz):
    results = {"logwt": logwt, "logz": logz}
    relative = results["logwt"] - results["logz"][-1]
    weights = np.exp(relative)
    return weights / weights.sum()


def log_shells(logvol):
    steps = np.diff(logvol, prepend=0)
    return logvol - steps + np.log1p(-np.exp(steps))


def log_shell(live):
    return np.log1p(-np.exp(-1.0 / live))


def log_difference(larger, smaller):
    if np.any(larger < smaller):
        raise ValueError("there is no logarithm of a negative number")
    return larger + np.log1p(-np.exp(smaller - larger))
