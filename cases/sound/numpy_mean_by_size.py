# holds: mean_error(np.array([1.0, 2.0]), np.array([1.0, 2.0]), np.zeros(2))
# holds: spread(np.array([1.0, 2.0]), np.zeros(2))
# holds: mean(np.array([1.0, 2.0]))
import numpy as np


def mean_error(prediction, target, weight):
    errors = np.abs(prediction - target)
    kept = errors[weight > 0]
    if kept.size == 0:
        return 0.0
    return kept.sum() / kept.size


def spread(errors, weight):
    kept = errors[weight > 0]
    return np.sqrt(np.sum(kept**2) / max(kept.size, 1))


def mean(values):
    return values.sum() / values.size
