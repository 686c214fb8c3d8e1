# breaks: value(lambda x: weights(10), [1.0])
import numpy as np


def weights(steps):
    t = np.linspace(0.0, 1.0, steps)
    kept = np.exp(-5.0 * t)
    return kept / (1 - kept)  # expect: NAN309 no-fix
