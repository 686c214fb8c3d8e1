# breaks: value(log_likelihood, [2.0, 2.0], 900)
import numpy as np


def log_likelihood(scores, rounds):
    likelihood = 1.0
    for t in range(int(rounds)):
        likelihood *= 1.0 / (1.0 + np.exp(scores[t % 2]))
    return np.log(likelihood)  # expect: NAN201 unsafe
