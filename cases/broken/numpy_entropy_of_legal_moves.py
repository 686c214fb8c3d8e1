# breaks: value(lambda s: entropy(s, MOVES), [1.0, 2.0, 3.0])
# breaks: value(lambda s: product(s, MOVES), [1.0, 2.0, 3.0])
import numpy as np
from scipy.special import log_softmax, softmax

MOVES = np.array([True, False, True])


def entropy(scores, legal):
    scores = np.where(legal, scores, -np.inf)
    p = softmax(scores)
    return -np.sum(p * np.log(p))  # expect: NAN101


def product(scores, legal):
    scores = np.where(legal, scores, -np.inf)
    return -np.sum(softmax(scores) * log_softmax(scores))  # expect: NAN202
