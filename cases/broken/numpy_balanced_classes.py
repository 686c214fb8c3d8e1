# breaks: balanced(np.array([0, 1, 0]), 3)
import numpy as np


def balanced(labels, n_classes):
    counts = np.bincount(labels, minlength=n_classes)
    return (len(labels) / (n_classes * counts)).astype("float32")  # expect: NAN306 unsafe
