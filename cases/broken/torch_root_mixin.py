# breaks: gradient(Triplet().forward, [[0.0, 0.0]], [[0.0, 0.0]])
import torch
import torch.nn as nn


class DistanceMixin:
    def distance(self, a, b):
        return torch.sqrt(torch.sum((a - b) ** 2, dim=-1))  # expect: NAN203


class Triplet(DistanceMixin, nn.Module):
    def forward(self, anchor, positive):
        return self.distance(anchor, positive).mean()
