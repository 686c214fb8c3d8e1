# breaks: value(SpreadLoss().spread, [[1.0, 2.0]])
# breaks: value(SpreadLoss().redundancy, [[1.0, 2.0]])
# breaks: value(SpreadLoss(), [[1.0, 2.0]])
import torch
import torch.nn.functional as F
from torch import nn


class SpreadLoss(nn.Module):
    def spread(self, z):
        return F.relu(1 - torch.sqrt(z.var(dim=0) + 1e-4)).mean()  # expect: NAN308 no-fix

    def redundancy(self, z):
        n, d = z.shape
        z = z - z.mean(dim=0)
        covariance = z.T @ z / (n - 1)  # expect: NAN309 no-fix
        return (covariance.square().sum() - covariance.diagonal().square().sum()) / d

    def forward(self, z):
        return self.spread(z) + self.redundancy(z)
