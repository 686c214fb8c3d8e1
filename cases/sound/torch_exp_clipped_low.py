# holds: value(partition, [[1000.0] * 8])
import torch


def partition(energy):
    return torch.exp(torch.clamp(energy, max=80.0)).sum(-1)
