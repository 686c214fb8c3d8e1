# holds: value(class_means, [[1.0, 2.0, 3.0]], [[0.0, 2.0, 2.0]])
# holds: value(rates, [[1.0, 2.0, 2.0]], [[1.0, 0.0, 1.0]])
import numpy as np


def class_means(x, labels):
    means = []
    for label in np.unique(labels):
        chosen = labels == label
        means.append((x * chosen).sum() / chosen.sum())
    return np.stack(means)


def rates(times, observed):
    events = observed > 0
    total = []
    for time in np.unique(times[events]):
        deaths = events & (times == time)
        total.append(times[deaths].sum() / deaths.astype(int).sum())
    return np.stack(total)
