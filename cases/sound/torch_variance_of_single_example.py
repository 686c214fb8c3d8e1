# holds: value(SpreadLoss(), [[1.0, 2.0]])
# holds: value(Redundancy(), [[1.0, 2.0]])
# holds: value(Doubled(), [[1.0, 2.0]])
# holds: value(Standardized(torch.tensor([[1.0, 2.0], [3.0, 5.0]])), [[1.0, 2.0]])
import torch
import torch.nn.functional as F
from torch import nn


class SpreadLoss(nn.Module):
    def forward(self, z):
        return F.relu(1 - torch.sqrt(z.var(dim=0, correction=0) + 1e-4)).mean()


class Redundancy(nn.Module):
    def forward(self, z):
        if len(z) < 2:
            return z.sum() * 0
        z = z - z.mean(dim=0)
        covariance = z.T @ z / (z.shape[0] - 1)
        return covariance.square().sum() + z.std(dim=0).mean()


class Doubled(nn.Module):
    def forward(self, z):
        both = torch.cat([z, -z])
        return both.std(dim=0).mean() + (both.T @ both / (len(both) - 1)).square().sum()


class Standardized(nn.Module):
    def __init__(self, data):
        super().__init__()
        self.register_buffer("mean", data.mean(dim=0))
        self.register_buffer("spread", data.std(dim=0) + 1e-6)

    def forward(self, x):
        return (x - self.mean) / self.spread
