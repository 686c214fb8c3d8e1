"""Sides that a network gives as logarithms are positive: their ratio is finite."""

import math

import torch
from torch import nn


class Aspect(nn.Module):
    def forward(self, deltas, target):
        sides = torch.exp(deltas[:, :, 2:])
        turned = torch.atan(sides[:, :, 0] / sides[:, :, 1])
        wanted = torch.atan2(target[:, :, 0], target[:, :, 1] + 1e-7)
        return (4 / math.pi**2) * (wanted - turned) ** 2
