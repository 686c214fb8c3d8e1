# holds: value(lambda x: weighted(x, torch.zeros(2)), [0.0, 0.0])
import torch
import torch.nn.functional as F


def weighted(logits, y):
    positive = y.sum()
    negative = y.numel() - positive
    weight = negative / positive.clamp(min=1)
    return F.binary_cross_entropy_with_logits(logits, y, pos_weight=weight)
