# holds: value(estimate, [0, 0, 0])
import numpy as np


def estimate(states, n_states=2):
    counts = np.ones((n_states, n_states))
    for here, there in zip(states[:-1], states[1:]):
        counts[here, there] += 1
    return counts / counts.sum(axis=1, keepdims=True)
