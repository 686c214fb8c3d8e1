# breaks: value(CoralLoss(), [[1.0, 2.0]], [[2.0, 1.0]])
import torch


def covariance(x):
    n = x.shape[0]
    centred = x - x.mean(0)
    return centred.t() @ centred / (n - 1)  # expect: NAN309 no-fix


class CoralLoss(torch.nn.Module):
    def forward(self, x, y):
        return ((covariance(x) - covariance(y)) ** 2).sum()
