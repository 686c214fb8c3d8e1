# holds: value(lambda x: contrast(x), [[1.0, 2.0], [1.0, 3.0]])
# holds: value(lambda x: jittered(x), [[1.0, 2.0], [1.0, 3.0]])
# holds: value(lambda x: drawn(x), [[1.0, 2.0], [1.5, 3.0]])
import numpy as np


def contrast(table):
    """Of a whole table, not of its columns."""
    return (table - table.min()) / (table.max() - table.min())


def jittered(x):
    noisy = x + np.random.rand(*x.shape)
    return (noisy - noisy.mean(axis=0)) / noisy.std(axis=0)


def drawn(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def prepare(path):
    return contrast(np.load(path)), jittered(np.load(path)), drawn(np.random.rand(8, 2))
