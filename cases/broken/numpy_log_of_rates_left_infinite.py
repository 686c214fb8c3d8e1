"""Here only what is not a number is replaced, and a logarithm of 0 is none of that."""

import numpy as np


def rarity(counts, documents):
    weights = np.log(documents / np.maximum(counts, 0))  # expect: NAN201 unsafe; NAN309 no-fix
    weights[np.isnan(weights)] = 0.0
    return weights


def surprise(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    surprise = np.log(shares / shares.sum(axis=1, keepdims=True))  # expect: NAN101
    print(surprise.mean())
    surprise[surprise == -np.inf] = -100.0
    return surprise
