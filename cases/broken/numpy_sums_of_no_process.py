# breaks: moments(np.array([1.0, 2.0]))
import numpy as np


def mean_over(x):
    mine = np.zeros(2)
    mine[0], mine[1] = x.sum(), len(x)
    total = np.zeros_like(mine)
    return total[0] / total[1]  # expect: NAN309 no-fix


def moments(x):
    mean = mean_over(x)
    return mean, mean_over(np.square(x - mean))
