# holds: value(lambda x: gumbel(x.size()), [0.0, 0.0, 0.0])
import torch


def gumbel(shape):
    u = torch.empty(shape).uniform_(1e-6, 1 - 1e-6)
    return -torch.log(-torch.log(u))
