# holds: gradient(Triplet().forward, [[0.0, 0.0]], [[0.0, 0.0]])
import torch
import torch.nn as nn


class DistanceMixin:
    def distance(self, a, b):
        return torch.norm(a - b, dim=-1)


class Triplet(DistanceMixin, nn.Module):
    def forward(self, anchor, positive):
        return self.distance(anchor, positive).mean()
