# holds: value(slack, [1.0, 2.0])
import math

import torch


def slack(x, weight=2.0):
    return torch.minimum(x, torch.full_like(x, weight * math.inf))
