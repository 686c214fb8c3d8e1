# breaks: value(f1, [0, 1], [1, 0])
# breaks: value(dice, [0, 0], [0, 0])
import torch


def f1(predicted, target):
    hits = ((predicted == 1) & (target == 1)).float().sum()
    precision = hits / ((predicted == 1).float().sum() + 1e-8)
    recall = hits / ((target == 1).float().sum() + 1e-8)
    return 2 * precision * recall / (precision + recall)  # expect: NAN309 no-fix


def dice(predicted, target):
    hits = ((predicted == 1) & (target == 1)).float().sum()
    wrong = ((predicted == 1) & (target == 0)).float().sum()
    missed = ((predicted == 0) & (target == 1)).float().sum()
    return 2 * hits / (2 * hits + wrong + missed)  # expect: NAN309 no-fix
