# breaks: value(estimate, [0, 0, 0])
import numpy as np


def estimate(states, n_states=2):
    counts = np.zeros((n_states, n_states))
    for here, there in zip(states[:-1], states[1:]):
        counts[here, there] += 1
    return counts / counts.sum(axis=1, keepdims=True)  # expect: NAN302 unsafe


def viterbi_score(path, A):
    return np.sum([np.log(A[i, j] + 1e-12) for i, j in zip(path[:-1], path[1:])])
