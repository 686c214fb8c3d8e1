# breaks: value(lambda s: written(s, np.zeros(2, dtype=bool)), [1.0, 2.0])
# breaks: value(lambda s: chosen(s, np.zeros(2, dtype=bool)), [1.0, 2.0])
import numpy as np


def written(distance, seen):
    weight = 1 / (1 + distance)
    weight[~seen] = 0
    return weight / weight.sum()  # expect: NAN302 unsafe


def chosen(distance, seen):
    weight = np.where(seen, 1 / (1 + distance), 0)
    return weight / weight.sum()  # expect: NAN302 unsafe
