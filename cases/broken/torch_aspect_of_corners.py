"""Sides are differences of corners, and of an empty box both are 0."""

import math

import torch
from torch import nn


class Aspect(nn.Module):
    def forward(self, boxes, target):
        sides = boxes[:, :, 2:] - boxes[:, :, :2]
        turned = torch.atan(sides[:, :, 0] / sides[:, :, 1])  # expect: NAN309 no-fix
        wanted = torch.atan2(target[:, :, 0], target[:, :, 1] + 1e-7)
        return (4 / math.pi**2) * (wanted - turned) ** 2
