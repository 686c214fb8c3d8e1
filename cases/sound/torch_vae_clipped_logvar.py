# holds: gradient(stddev, [-300.0, 0.0, 300.0])
import torch


def stddev(logvar):
    logvar = torch.clamp(logvar, -30.0, 20.0)
    return torch.sqrt(torch.exp(logvar))
