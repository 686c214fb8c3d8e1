# breaks: reliability(np.array([0.91, 0.95]), np.array([1.0, 0.0]))
import numpy as np


def reliability(conf, correct, bins=10):
    idx = np.minimum((conf * bins).astype(int), bins - 1)
    return np.array([correct[idx == b].mean() for b in range(bins)])  # expect: NAN307 no-fix
