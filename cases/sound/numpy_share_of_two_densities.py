# holds: value(share, [0.5, 60.0])
import numpy as np


def exponent(x, mean, precision):
    return -precision / 2 * (x - mean) ** 2


def share(x, left=0.0, right=1.0, weight=0.4, precision=1.0):
    first = exponent(x, left, precision)
    second = exponent(x, right, precision)
    return 1 / (1 + np.exp(np.clip(second - first - np.log(weight / (1 - weight)), -500, 500)))


def membership(x, left=0.0, right=1.0):
    first = np.exp(-((x - left) ** 2))
    second = np.exp(-((x - right) ** 2))
    return first / (first + second + 0.01)


def of_draws(number, left=0.0, right=1.0):
    x = left + np.random.standard_normal(number)
    first = np.exp(-0.5 * (x - left) ** 2)
    second = np.exp(-0.5 * (x - right) ** 2)
    return first / (first + second)
