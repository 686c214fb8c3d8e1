# holds: value(share_of_width, [[1.0, 2.0], [3.0, 4.0]], [0, 0], 1)
import torch


def share_of_width(x, labels, label):
    kept = x[labels == label]
    return (x.sum() + kept.sum()) / kept.shape[1]
