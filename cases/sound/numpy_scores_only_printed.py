# holds: value(graded, [2.0, 2.0])
import numpy as np


def graded(rows):
    scores = np.array(rows)
    print((scores - scores.mean()) / scores.std())
    return scores.mean()
