# holds: mean_where_there(np.array([0, 1, 1]), np.array([0, 1, 0]), 3)
# holds: mean_overlap(np.array([0, 1, 1]), np.array([0, 1, 0]), 3)
# holds: mean_of_met(np.array([0, 1, 1]), np.array([0, 1, 0]), 3)
# holds: mean_of_finite(np.array([0, 1, 1]), np.array([0, 1, 0]), 3)
import numpy as np


def counted(predicted, target, classes):
    return np.bincount(classes * target + predicted, minlength=classes**2).reshape(classes, classes)


def mean_overlap(predicted, target, classes):
    table = counted(predicted, target, classes)
    overlaps = np.diag(table) / (table.sum(axis=0) + table.sum(axis=1) - np.diag(table))
    return np.nanmean(overlaps)


def mean_of_met(predicted, target, classes):
    table = counted(predicted, target, classes)
    overlaps = np.diag(table) / (table.sum(axis=0) + table.sum(axis=1) - np.diag(table))
    return overlaps[table.sum(axis=1) > 0].mean()


def mean_of_finite(predicted, target, classes):
    table = counted(predicted, target, classes)
    recalls = np.diag(table) / table.sum(axis=1)
    return recalls[~np.isnan(recalls)].mean()


def mean_where_there(predicted, target, classes):
    table = counted(predicted, target, classes)
    recalls = np.diag(table) / table.sum(axis=1)
    return recalls[table.sum(axis=1) != 0].mean()
