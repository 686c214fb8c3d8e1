# breaks: value(kernel, [[[[1.0], [2.0]]]], [[[[-900.0], [-900.0]]]])
import numpy as np


def kernel(offsets, others):
    precision = np.linalg.inv(np.diag([0.6, 2.5]))[None, None, :, :]
    turned = offsets.transpose(0, 1, 3, 2)
    weights = np.exp(-0.5 * np.squeeze(turned @ precision @ others))
    return weights / np.sum(weights)  # expect: NAN103
