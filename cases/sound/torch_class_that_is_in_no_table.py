# holds: value(normalised, [0, 1, 1], [0, 1, 0])
# holds: value(overlaps, [0, 1, 1], [0, 1, 0])
# holds: value(hit_rate, [0, 1, 1], [0, 1, 0])
import torch

CLASSES = 3


def counted(predicted, target):
    pairs = target.long() * CLASSES + predicted.long()
    return torch.bincount(pairs, minlength=CLASSES**2).reshape(CLASSES, CLASSES).float()


def normalised(predicted, target):
    table = counted(predicted, target)
    return table / table.sum(dim=1, keepdim=True).clamp(min=1)


def overlaps(predicted, target):
    table = counted(predicted, target)
    union = table.sum(dim=0) + table.sum(dim=1) - table.diag()
    return table.diag()[union > 0] / union[union > 0]


def hit_rate(predicted, target):
    table = counted(predicted, target)
    return table.diag().sum() / table.sum()
