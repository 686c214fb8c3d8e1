# holds: value(entropy, [0.0, 2.0, 3.0])
# holds: value(at_places, [0.0, 2.0, 3.0])
# holds: value(extracted, [0.0, 2.0, 3.0])
import numpy as np


def entropy(counts):
    p = counts[counts > 0] / counts.sum()
    return -(p * np.log(p)).sum()


def at_places(counts):
    p = counts / counts.sum()
    places = np.flatnonzero(p)
    return -(p[places] * np.log2(p[places])).sum()


def extracted(counts):
    p = np.extract(counts > 0, counts) / counts.sum()
    return -(p * np.log(p)).sum()
