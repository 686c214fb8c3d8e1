# holds: value(inverse_root_degree, [[0.0, 0.0], [0.0, 1.0]])
import torch


def inverse_root_degree(adj):
    d = torch.pow((adj > 0).float().sum(1), -0.5)
    d[torch.isinf(d)] = 0.0
    return d
