# holds: graded([2.0, 2.0])
import numpy as np


def graded(rows):
    scores = np.array(rows)
    normalized = (scores - scores.mean()) / scores.std()
    return scores.mean(), scores.std()
