# holds: value(margin_loss, [[3.0, 2.0, 1.0], [0.1, 0.2, 0.3], [0.7, 0.9, 1.3], [5.1, 2.3, 0.2]])
import torch
import torch.nn.functional as F
from torch import nn


class Head(nn.Module):
    def __init__(self, weight, norm_weight=True):
        super().__init__()
        self.weight = nn.Parameter(weight.detach().clone())
        self.norm_weight = norm_weight

    def product(self, x):
        x = F.normalize(x)
        if self.norm_weight:
            weight = F.normalize(self.weight)
        else:
            weight = self.weight
        return F.linear(x, weight)

    def forward(self, x):
        cosine = self.product(x).clamp(-1 + 1e-6, 1 - 1e-6)
        return torch.cos(torch.acos(cosine) + 0.5)


def margin_loss(x):
    return Head(4 * x)(x).mean()
