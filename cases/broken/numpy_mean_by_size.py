# breaks: mean_error(np.array([1.0, 2.0]), np.array([1.0, 2.0]), np.zeros(2))
# breaks: spread(np.array([1.0, 2.0]), np.zeros(2))
import numpy as np


def mean_error(prediction, target, weight):
    errors = np.abs(prediction - target)
    kept = errors[weight > 0]
    return kept.sum() / kept.size  # expect: NAN301


def spread(errors, weight):
    kept = errors[weight > 0]
    count = kept.size
    return np.sqrt(np.sum(kept**2) / count)  # expect: NAN301
