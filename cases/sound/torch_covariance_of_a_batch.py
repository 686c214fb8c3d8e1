# holds: value(CoralLoss(), [[1.0, 2.0], [0.0, 1.0]], [[2.0, 1.0], [0.0, 1.0]])
import torch


def covariance(x):
    n = x.shape[0]
    sums = x.sum(0)
    products = sums[:, None] * sums
    return (1.0 / (n - 1)) * (x.t() @ x - (1.0 / n) * products)


class CoralLoss(torch.nn.Module):
    def forward(self, x, y):
        return ((covariance(x) - covariance(y)) ** 2).sum()
