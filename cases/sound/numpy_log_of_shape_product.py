# holds: value(bits_per_dim, [4.0], [[1.0, 2.0], [3.0, 4.0]])
import numpy as np


def bits_per_dim(nll, images):
    dims = np.prod(images.shape[1:])
    return nll / (np.log(2.0) * dims) + np.log(256.0) / np.log(2.0) - np.log(dims) * 0
