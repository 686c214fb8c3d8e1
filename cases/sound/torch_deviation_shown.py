from torch import nn


class DecorrelationLoss(nn.Module):
    def forward(self, z):
        z = z - z.mean(dim=0)
        print(f"deviation: {z.std(dim=0)}")
        covariance = z.T @ z / z.shape[0]
        return covariance.square().sum()
