# breaks: value(Loss(), [[0.0, 1.0]], [[1.0, 0.0]])
import torch
import torch.nn as nn


class Loss(nn.Module):
    def __init__(self, beta=0.1333):
        super().__init__()
        self.beta = beta

    def structure(self, x, y):
        dx = x - x.mean(-1, keepdim=True)
        dy = y - y.mean(-1, keepdim=True)
        cov = (dx * dy).mean(-1)
        return (2 * cov + 1e-3) / (dx.pow(2).mean(-1) + dy.pow(2).mean(-1) + 1e-3)

    def forward(self, x, y):
        return 1 - (self.structure(x, y) ** self.beta).mean()  # expect: NAN207 no-fix
