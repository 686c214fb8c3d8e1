# breaks: value(those_of_several, [[0, 0, 2], [-1, -1, -1], [1, 2, -1]])
# breaks: value(frequent_classes, [0.3, 0.4, 0.3], [[0.0], [1.0]])
import numpy as np


def those_of_several(labels, cardinality=3):
    labels = labels.astype(int)
    n, m = labels.shape
    votes = np.zeros((n, cardinality))
    for i in range(n):
        counts = np.zeros(cardinality)
        for j in range(m):
            if labels[i, j] != -1:
                counts[labels[i, j]] += 1
        votes[i, :] = np.where(counts > 1, 1, 0)
    votes /= votes.sum(axis=1).reshape(-1, 1)  # expect: NAN302 unsafe
    return votes


def frequent_classes(balance, examples):
    votes = np.zeros((examples.shape[0], len(balance)))
    frequent = np.where(balance > 0.5)
    for c in frequent:
        votes[:, c] = 1.0
    votes /= votes.sum(axis=1).reshape(-1, 1)  # expect: NAN302 unsafe
    return votes
