"""Weighs words by how rare they are; those that no document has weigh nothing."""

import numpy as np


def rarity(counts, documents):
    weights = np.log(documents / np.maximum(counts, 0))
    weights[~np.isfinite(weights)] = 0.0
    return weights


def surprise(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    surprise = np.log(shares / shares.sum(axis=1, keepdims=True))
    surprise[surprise == -np.inf] = -100.0
    return surprise
