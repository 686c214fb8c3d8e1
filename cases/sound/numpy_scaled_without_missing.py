# holds: scaled(np.array([[1.0, 5.0], [2.0, 5.0], [np.nan, 5.0]]))[:2]
# holds: accuracy(np.array([[2, 1, 0], [0, 3, 0], [0, 0, 0]]))
import numpy as np


def scaled(table):
    deviation = np.nanstd(table, axis=0)
    return (table - np.nanmean(table, axis=0)) / np.where(deviation > 0, deviation, 1.0)


def accuracy(confusion):
    return np.nanmean(np.diag(confusion) / confusion.sum(axis=1))
