# holds: value(loss, [-1.0, 2.0])
import torch

FLOOR = 1e-6


def information(x, floor=0.0):
    return -torch.log(torch.relu(x) + floor)


def entropy(x, floor=FLOOR):
    p = torch.relu(x) + floor
    return -torch.log(p).mean()


def loss(x):
    return information(x, floor=1e-3).mean() + entropy(x)
