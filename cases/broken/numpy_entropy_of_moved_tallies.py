# breaks: entropy([0, 2, 2])
# breaks: entropy_of_listed([0, 2, 2], [2, 2])
# A count that was reduced is 0, and so is that of a value of another list.
from collections import Counter

import numpy as np


def entropy(labels):
    counts = Counter(labels)
    counts[labels[0]] -= 1
    shares = np.array(list(counts.values())) / len(labels)
    return -np.sum(shares * np.log2(shares))  # expect: NAN202


def entropy_of_listed(labels, others):
    total = 0.0
    for label in set(labels):
        share = others.count(label) / len(others)
        total += -share * np.log2(share)  # expect: NAN202
    return total
