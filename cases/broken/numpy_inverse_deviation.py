# breaks: value(by_variance, [[1.0, 2.0], [1.0, 3.0]])
# breaks: value(by_deviation, [[1.0, 2.0], [1.0, 3.0]])
import numpy as np


def by_variance(x):
    inverse = 1.0 / np.sqrt(x.var(axis=0))
    return (x - x.mean(axis=0)) * inverse  # expect: NAN304 no-fix


def by_deviation(x):
    scale = 1 / x.std(0, keepdims=True)
    return (x - x.mean(0, keepdims=True)) * scale  # expect: NAN304 no-fix
