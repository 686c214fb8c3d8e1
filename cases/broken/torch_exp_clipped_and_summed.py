# breaks: value(partition, [[1000.0] * 8])
import torch


def partition(energy):
    return torch.exp(torch.clamp(energy, max=87.0)).sum(-1)  # expect: NAN504 unsafe
