# holds: gradient(standardise, [[1.0, 1.0, 1.0]])
import torch


def standardise(x):
    mean = torch.mean(x, dim=1, keepdim=True)
    variance = torch.mean((x - mean) ** 2, dim=1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + 1e-6)
