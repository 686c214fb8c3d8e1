# holds: value(masked_mean, [1.0, 2.0], [0.0, 0.0])
import numpy as np


def masked_mean(x, mask):
    if mask.any():
        return (x * mask).sum() / mask.sum()
    return x.mean()


print(masked_mean(np.array([1.0, 2.0]), np.array([0.0, 0.0])))
