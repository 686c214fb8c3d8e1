"""A uniform share, or an epsilon, keeps a blend from 0."""

# holds: value(smoothed, [30.0, -200.0], [0.0, 1.0])
# holds: value(shared, [30.0, -200.0])
import torch


def smoothed(logits, y, gamma=2.0):
    p = logits.sigmoid()
    pt = p * y + (1 - p) * (1 - y) + 1e-6
    return -((1 - pt).clamp(min=0) ** gamma * torch.log(pt)).mean()


def shared(logits, e=0.1):
    p = logits.sigmoid()
    return -torch.log(p * (1 - e) + e / 2).mean()
