# holds: entropy([0, 2, 2])
# holds: entropy_of_listed([0, 2, 2])
from collections import Counter

import numpy as np


def entropy(labels):
    shares = np.array(list(Counter(labels).values())) / len(labels)
    return -np.sum(shares * np.log2(shares))


def entropy_of_listed(labels):
    total = 0.0
    for label in set(labels):
        share = labels.count(label) / len(labels)
        total += -share * np.log2(share)
    return total
