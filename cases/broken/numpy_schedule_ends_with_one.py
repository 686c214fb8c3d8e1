# breaks: value(lambda x: odds(10), [1.0])
# breaks: value(lambda x: from_zero(10), [1.0])
import numpy as np


def odds(steps):
    t = np.linspace(0, 1, steps)
    return t / (1 - t)  # expect: NAN309 no-fix


def from_zero(steps):
    t = np.linspace(0, 1, steps, endpoint=False)
    return np.sin(t) / t  # expect: NAN309 no-fix
