# holds: gradient(softplus, [100.0, -100.0, 3.0])
import torch


def softplus(x):
    return torch.relu(x) + torch.log(1 + torch.exp(-torch.abs(x)))
