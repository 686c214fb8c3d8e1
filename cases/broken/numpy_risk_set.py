"""Nobody is at risk after the last time, or at the times of others."""

# breaks: value(afterwards, [1.0, 2.0], [1.0, 1.0])
# breaks: value(of_others, [1.0, 2.0], [3.0, 4.0])
import numpy as np


def afterwards(times, events):
    return np.array([events.sum() / np.sum(times > time) for time in np.unique(times)])  # expect: NAN301 no-fix


def of_others(times, other):
    return np.array([times.sum() / np.sum(times >= time) for time in np.unique(other)])  # expect: NAN301 no-fix
