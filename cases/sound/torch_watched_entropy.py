# holds: value(loss, [[0.5, 0.2]], [[0.1, 0.3]])
# What is only printed is looked at by whoever reads it, and nothing is learned from it.
import torch
from torch import nn

rate = nn.Sequential(nn.Linear(2, 1), nn.ReLU())


def loss(state, target):
    with torch.no_grad():
        surprise = torch.log(rate(state)).mean()
        print(f"surprise {surprise:.3f}")
    return (rate(state) - target).square().mean()
