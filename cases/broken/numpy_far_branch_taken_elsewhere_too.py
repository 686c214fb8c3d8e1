# breaks: value(both, [[0.0, 7.0]])
import numpy as np


def _far(x):
    return x + 5.0 / x  # expect: NAN309 no-fix


def both(x):
    x = np.abs(x)
    return np.where(x < 5.0, x, _far(x)) + _far(x)


if __name__ == "__main__":
    print(both(np.array([0.0, 7.0])))
