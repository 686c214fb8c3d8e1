# holds: value(run, [[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]])
import math

import torch
import torch.nn.functional as F
from torch import nn


class AngularLoss(nn.Module):
    def __init__(self, degrees):
        super().__init__()
        self.tangent = math.tan(math.radians(degrees))

    def forward(self, anchors, negatives):
        a, n = F.normalize(anchors, dim=1), F.normalize(negatives, dim=1)
        cosines = (2 * a)[:, None, :].bmm(n[:, :, None])
        inside = 4 * self.tangent**2 * cosines.flatten(1)
        return torch.log(torch.sum(torch.exp(inside), dim=1) + 1).mean()


def run(anchors, negatives):
    return AngularLoss(40)(anchors, negatives)
