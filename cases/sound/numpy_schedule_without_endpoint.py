# holds: value(lambda x: odds(10), [1.0])
# holds: value(lambda x: by_place(10), [1.0])
import numpy as np


def odds(steps):
    t = np.linspace(0, 1, steps, endpoint=False)
    return t / (1 - t)


def by_place(steps):
    t = np.linspace(0.0, 1.0, steps, False)
    return t / (1.0 - t)
