# breaks: value(energy, [[0.0, 7.0]])
import numpy as np


def _far(x):
    return x + 5.0 / x  # expect: NAN309 no-fix


def energy(x):
    x = np.abs(x)
    far = _far(x)
    return np.where(x > 5.0, x, far)


if __name__ == "__main__":
    print(energy(np.array([0.0, 7.0])))
