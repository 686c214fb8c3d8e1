# holds: value(harmonic_mean, np.array([0.0, 1.0, 2.0]))
# holds: value(in_parallel, np.array([0.0, 1.0, 2.0]))
# holds: value(by_power, np.array([0.0, 1.0, 2.0]))
import numpy as np


def harmonic_mean(rates):
    rates = np.maximum(rates, 0)
    return len(rates) / np.sum(1 / rates)


def in_parallel(resistances):
    resistances = np.clip(resistances, 0, None)
    return 1 / (np.sum(1 / resistances) + 0.5)


def by_power(rates):
    rates = np.maximum(rates, 0)
    return np.mean(1 / rates) ** -1
