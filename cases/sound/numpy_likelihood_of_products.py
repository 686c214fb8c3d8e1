# holds: value(log_likelihood, [2.0, 2.0], 900)
import numpy as np


def log_likelihood(scores, rounds):
    total = 0.0
    for t in range(int(rounds)):
        total -= np.logaddexp(0.0, scores[t % 2])
    return total
