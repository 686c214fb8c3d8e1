# holds: value(f1, [0, 1], [1, 0])
# holds: value(dice, [0, 0], [0, 0])
# holds: value(accuracy, [0, 1], [1, 0])
import torch


def f1(predicted, target):
    hits = ((predicted == 1) & (target == 1)).float().sum()
    precision = hits / ((predicted == 1).float().sum() + 1e-8)
    recall = hits / ((target == 1).float().sum() + 1e-8)
    return 2 * precision * recall / (precision + recall + 1e-8)


def dice(predicted, target):
    hits = ((predicted == 1) & (target == 1)).float().sum()
    wrong = ((predicted == 1) & (target == 0)).float().sum()
    missed = ((predicted == 0) & (target == 1)).float().sum()
    found = 2 * hits + wrong + missed
    return torch.where(found > 0, 2 * hits / found.clamp(min=1), 1.0)


def accuracy(predicted, target):
    hits = (predicted == target).float().sum()
    return hits / (hits + (predicted != target).float().sum() + 1.0)
