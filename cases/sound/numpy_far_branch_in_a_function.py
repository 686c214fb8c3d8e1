# holds: value(bessel, [[0.0, 7.0]])
import numpy as np


def _near(x):
    return x * (1 - x * x / 8) / 2


def _far(x):
    return np.log(x) + 5.0 / x


def bessel(x):
    x = np.abs(x)
    near = _near(x)
    far = _far(x)
    return np.where(x < 5.0, near, far)


if __name__ == "__main__":
    print(bessel(np.array([0.0, 7.0])))
