"""Pointwise mutual information of words, of which some are never the first or the second of a pair."""

# breaks: value(lambda x: information([[0, 1]], 3) * x, 1.0)
# breaks: value(lambda x: gain([[0, 1]], 3) * x, 1.0)
import numpy as np


def information(corpus, n):
    counts = np.zeros((n, n))
    for sentence in corpus:
        for a, b in zip(sentence[:-1], sentence[1:]):
            counts[a, b] += 1
    expected = counts.sum(1, keepdims=True) * counts.sum(0, keepdims=True)
    return np.log(counts * counts.sum() / expected)  # expect: NAN302 unsafe


def gain(corpus, n):
    counts = np.zeros((n, n))
    for sentence in corpus:
        for a, b in zip(sentence[:-1], sentence[1:]):
            counts[a, b] += 1
    return counts * counts.sum() / (counts.sum(1)[:, None] * counts.sum(0)[None])  # expect: NAN302 unsafe
