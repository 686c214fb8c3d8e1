# breaks: value(idf, [[0, 0], [1, 0]])
import numpy as np


def idf(counts):
    df = np.sum(counts > 0, axis=0)
    return np.log(len(counts) / df)  # expect: NAN301
