# breaks: value(share, [0.5, 60.0])
import numpy as np


def density(x, mean, precision):
    return 0.4 * precision * np.exp(-precision / 2 * (x - mean) ** 2)


def share(x, left=0.0, right=1.0, weight=0.4, precision=1.0):
    first = weight * density(x, left, precision)
    second = (1 - weight) * density(x, right, precision)
    return first / (first + second)  # expect: NAN302 unsafe


def surprise(x, left=0.0, right=1.0, weight=0.4, precision=1.0):
    near = np.exp(-precision / 2 * (x - left) ** 2)
    far = np.exp(-precision / 2 * (x - right) ** 2)
    return -np.log(weight * near + (1 - weight) * far).mean()  # expect: NAN201 unsafe
