# breaks: value(pearson, [1.0, 1.0], [1.0, 2.0])
import numpy as np


def pearson(x, y):
    xm = x - x.mean()
    ym = y - y.mean()
    return np.sum(xm * ym) / np.sqrt(np.sum(xm**2) * np.sum(ym**2))  # expect: NAN303 no-fix
