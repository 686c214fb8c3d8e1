# breaks: value(share_of_length, [[1.0, 2.0], [3.0, 4.0]], [0, 0], 1)
import torch


def share_of_length(x, labels, label):
    kept = x[labels == label]
    return (x.sum() + kept.sum()) / kept.shape[0]  # expect: NAN301 safe
