# breaks: value(shares, np.array([0.0, 1.0, 2.0]))
# breaks: value(against, np.array([0.0, 1.0, 2.0]), np.array(-np.inf))
# breaks: value(both, np.array([0.0, 1.0, 2.0]))
import numpy as np


def shares(rates):
    rates = np.maximum(rates, 0)
    inverse = 1 / rates  # expect: NAN309 no-fix
    return inverse / inverse.sum()


def against(rates, rest):
    rates = np.maximum(rates, 0)
    return 1 / (np.sum(1 / rates) + rest)  # expect: NAN309 no-fix


def both(rates):
    rates = np.maximum(rates, 0)
    inverse = 1 / rates  # expect: NAN309 no-fix
    return inverse.max(), 1 / inverse.sum()
