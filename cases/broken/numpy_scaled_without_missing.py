# breaks: scaled(np.array([[1.0, 5.0], [2.0, 5.0], [np.nan, 5.0]]))[:, 1]
# breaks: to_unit_interval(np.array([[1.0, 5.0], [2.0, 5.0], [np.nan, 5.0]]))[:, 1]
import numpy as np


def scaled(table):
    return (table - np.nanmean(table, axis=0)) / np.nanstd(table, axis=0)  # expect: NAN304 unsafe


def to_unit_interval(table):
    low, high = np.nanmin(table, axis=0), np.nanmax(table, axis=0)
    return (table - low) / (high - low)  # expect: NAN305 unsafe
