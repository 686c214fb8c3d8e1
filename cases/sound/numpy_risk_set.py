"""Whoever has a time is at risk at that time."""

# holds: value(kaplan_meier, [1.0, 2.0, 2.0], [1.0, 0.0, 1.0])
# holds: value(of_each, [1.0, 2.0, 2.0])
import numpy as np


def kaplan_meier(times, events):
    survival, found = 1.0, []
    for time in np.unique(times):
        at_risk = np.sum(times >= time)
        died = np.sum((times == time) & (events == 1))
        survival *= 1 - died / at_risk
        found.append(survival)
    return np.array(found)


def of_each(times):
    return np.array([1.0 / (times <= time).sum() for time in times])
