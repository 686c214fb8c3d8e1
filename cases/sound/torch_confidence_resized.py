# holds: value(weighted, [[[-1.0, -2.0]]], [[[1.0, 1.0, 1.0, 1.0]]])
# holds: value(of_patches, [[[[-1.0, -1.0], [-1.0, -1.0]]]])
import torch
import torch.nn.functional as F


def weighted(confidence, x):
    confidence = F.interpolate(F.softplus(confidence) + 1e-3, size=4)
    return (confidence * x).sum(-1) / confidence.sum(-1)


def of_patches(x):
    patches = F.unfold(torch.relu(x), 2)
    return patches / patches.sum(1, keepdim=True).clamp(min=1e-6)
