# holds: value(pearson, [1.0, 1.0], [1.0, 2.0])
import numpy as np


def pearson(x, y):
    xm = x - x.mean()
    ym = y - y.mean()
    den = np.sqrt(np.sum(xm**2) * np.sum(ym**2))
    if den == 0:
        return 0.0
    return np.sum(xm * ym) / den
