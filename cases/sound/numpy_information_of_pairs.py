"""Counts that begin with 1, that a loop over all places adds to, or whose sums have a floor."""

# holds: value(lambda x: smoothed([[0, 1]], 3) * x, 1.0)
# holds: value(lambda x: of_all(3) * x, 1.0)
# holds: value(lambda x: floored([[0, 1]], 3) * x, 1.0)
import numpy as np


def smoothed(corpus, n):
    counts = np.ones((n, n))
    for sentence in corpus:
        for a, b in zip(sentence[:-1], sentence[1:]):
            counts[a, b] += 1
    return np.log(counts * counts.sum() / (counts.sum(1, keepdims=True) * counts.sum(0, keepdims=True)))


def of_all(n):
    counts = np.zeros((n, n))
    for a in range(n):
        for b in range(n):
            counts[a, b] += 1
    return counts * counts.sum() / (counts.sum(1, keepdims=True) * counts.sum(0, keepdims=True))


def floored(corpus, n):
    counts = np.zeros((n, n))
    for sentence in corpus:
        for a, b in zip(sentence[:-1], sentence[1:]):
            counts[a, b] += 1
    expected = counts.sum(1, keepdims=True) * counts.sum(0, keepdims=True)
    return counts * counts.sum() / np.maximum(expected, 1)
