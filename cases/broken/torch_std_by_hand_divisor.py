# breaks: value(standardise, [[1.0, 1.0, 1.0]])
import torch


def standardise(x):
    mean = torch.mean(x, dim=1, keepdim=True)
    std = torch.sqrt(torch.mean((x - mean) ** 2, dim=1, keepdim=True))
    return (x - mean) / std  # expect: NAN304 unsafe
