# breaks: value(entropy, [1, 1, 0, 0])
import numpy as np


def entropy(labels, n_classes=3):
    p = np.bincount(np.asarray(labels, int), minlength=n_classes) / len(labels)
    return -np.sum(p * np.log2(p))  # expect: NAN202
