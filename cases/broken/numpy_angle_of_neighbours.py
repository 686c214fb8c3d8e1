# breaks: angle([0.7, 1.2, -0.6], [0.7, 1.2, -0.6])
import numpy as np


def angle(low, high):
    low, high = np.asarray(low, np.float32), np.asarray(high, np.float32)
    return np.arccos(  # expect: NAN208
        np.dot(low / np.linalg.norm(low), high / np.linalg.norm(high))  # expect: NAN303 possible
    )


print(angle(np.random.randn(64), np.random.randn(64)))
