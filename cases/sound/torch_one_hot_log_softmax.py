# holds: value(nll, [[0.0, 200.0]], [0])
# holds: value(smoothed, [[0.0, 200.0]], [0])
import torch
import torch.nn.functional as F


def nll(logits, y):
    target = torch.zeros_like(logits).scatter_(1, y.long().unsqueeze(1), 1)
    return -(F.log_softmax(logits, dim=1) * target).sum(1).mean()


def smoothed(logits, y):
    p = F.softmax(logits, dim=1)
    target = torch.zeros_like(p).scatter_(1, y.long().unsqueeze(1), 1)
    return -torch.log((p * target).sum(1) + 1e-8).mean()
