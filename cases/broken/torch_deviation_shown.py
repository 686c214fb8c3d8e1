import torch.nn.functional as F
from torch import nn


class DecorrelationLoss(nn.Module):
    def forward(self, z):
        z = z - z.mean(dim=0)
        covariance = z.T @ z / z.shape[0]
        return covariance.square().sum() + F.relu(1 - z.std(dim=0)).mean()  # expect: NAN308 no-fix
