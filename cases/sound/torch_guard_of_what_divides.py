# holds: value(scaled, [2.0, 2.0])
# holds: value(shares, [-1.0, -1.0])
import torch
import torch.nn.functional as F


def scaled(x):
    if x.max() > x.min():
        return (x - x.mean()) / x.std()
    return x


def shares(x):
    w = F.relu(x)
    if x.max() > 0:
        return w / w.sum()
    return w
