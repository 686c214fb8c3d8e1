# holds: gradient(loss, [[100.0], [-100.0]], [[1.0], [0.0]])
import torch
import torch.nn.functional as F


def loss(x, z):
    return torch.mean(-x * z + F.softplus(x))
