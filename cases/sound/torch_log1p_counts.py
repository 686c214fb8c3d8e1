# holds: gradient(features, [0.0, 3.0])
import torch


def features(counts):
    return torch.log1p(torch.relu(counts)) + torch.log(counts ** 2 + 1)
