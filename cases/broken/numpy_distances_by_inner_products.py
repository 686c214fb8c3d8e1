# breaks: value(lambda x: distances(np.sin(np.arange(320.0)).reshape(40, 8) * x), 3.0)
import numpy as np


def distances(x):
    lengths = np.sum(x**2, axis=1)
    return np.sqrt(lengths[:, np.newaxis] + lengths - 2 * np.dot(x, x.T))  # expect: NAN207 no-fix
