# breaks: value(dice, [[0.0]], [[0.0]])
import torch


def dice(pred, target):
    pred = (pred > 0.5).float()
    inter = (pred * target).sum()
    return 2 * inter / (pred.sum() + target.sum())  # expect: NAN302 unsafe
