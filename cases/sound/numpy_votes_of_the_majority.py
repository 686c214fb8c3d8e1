# holds: value(majority_of_labels, [[0, 0, 2], [-1, -1, -1], [1, 2, -1]])
# holds: value(majority_of_classes, [0.3, 0.4, 0.4], [[0.0], [1.0]])
import numpy as np


def majority_of_labels(labels, cardinality=3):
    labels = labels.astype(int)
    n, m = labels.shape
    votes = np.zeros((n, cardinality))
    for i in range(n):
        counts = np.zeros(cardinality)
        for j in range(m):
            if labels[i, j] != -1:
                counts[labels[i, j]] += 1
        votes[i, :] = np.where(counts == max(counts), 1, 0)
    votes /= votes.sum(axis=1).reshape(-1, 1)
    return votes


def majority_of_classes(balance, examples):
    votes = np.zeros((examples.shape[0], len(balance)))
    largest = np.where(balance == max(balance))
    for c in largest:
        votes[:, c] = 1.0
    votes /= votes.sum(axis=1).reshape(-1, 1)
    return votes
