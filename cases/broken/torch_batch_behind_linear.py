# breaks: value(Decorrelated([2, 3, 3]).loss, [[1.0, 2.0]])
import torch
from torch import nn


class Decorrelated(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        layers = []
        for wide, narrow in zip(sizes, sizes[1:]):
            layers.append(nn.Linear(wide, narrow))
            layers.append(nn.ReLU())
        self.projector = nn.Sequential(*layers)

    def loss(self, x):
        z = self.projector(x)
        z = z - z.mean(dim=0)
        covariance = z.T @ z / (z.shape[0] - 1)  # expect: NAN309 no-fix
        return covariance.square().sum() + z.std(dim=0).mean()  # expect: NAN308 no-fix
