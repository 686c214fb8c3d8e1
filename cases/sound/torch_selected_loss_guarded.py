# holds: value(lambda x: anchors(x, torch.zeros(2), torch.zeros(2).bool()), [1.0, 2.0])
import torch


def anchors(pred, target, positive):
    error = (pred - target).abs()
    if positive.any():
        return error[positive].mean()
    return error.sum() * 0.0


def boxes(pred, target, positive):
    n = positive.sum().item()
    if n == 0:
        return pred.sum() * 0.0
    return (pred - target).abs()[positive].mean()


def scaled(pred, target, classes):
    positive = classes > 0
    num_pos = positive.sum().clamp(min=1)
    return (pred - target).abs()[positive].sum() / num_pos
