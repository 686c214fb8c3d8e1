# breaks: value(masked_loss, [1.0, 2.0], [0.0, 0.0])
import numpy as np


def masked_loss(pred, target):
    kept = (pred - target)[target > 0]
    return np.sum(kept**2) / len(kept)  # expect: NAN301
