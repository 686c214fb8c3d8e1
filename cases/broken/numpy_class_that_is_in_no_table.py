# breaks: overlaps(np.array([0, 1, 1]), np.array([0, 1, 0]), 3)
# breaks: mean_of_hit(np.array([0, 1, 1]), np.array([0, 1, 0]), 3)
import numpy as np


def overlaps(predicted, target, classes):
    table = np.bincount(classes * target + predicted, minlength=classes**2).reshape(classes, classes)
    union = table.sum(axis=0) + table.sum(axis=1) - np.diag(table)
    return np.diag(table) / union  # expect: NAN302 unsafe


def mean_of_hit(predicted, target, classes):
    table = np.bincount(classes * target + predicted, minlength=classes**2).reshape(classes, classes)
    recalls = np.diag(table) / table.sum(axis=1)  # expect: NAN302 unsafe
    return recalls[recalls != 0].mean()  # NaN is not 0 either
