# holds: value(train, [0.0, 0.5])
import torch
from torch import nn


class LogLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.floor = 1e-3

    def forward(self, p):
        return -torch.log(p.clamp(min=self.floor)).mean()


class CoarseLogLoss(LogLoss):
    def coarse(self):
        self.floor = 0.1
        return self


class OwnLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.floor = 0.0

    def forward(self, p):
        return (p - self.floor).abs().mean()


def train(p):
    return CoarseLogLoss().coarse()(p) + OwnLoss()(p)
