# breaks: value(weighted, [[[-1.0, -2.0]]], [[[1.0, 1.0, 1.0, 1.0]]])
# breaks: value(of_patches, [[[[-1.0, -1.0], [-1.0, -1.0]]]])
import torch
import torch.nn.functional as F


def weighted(confidence, x):
    confidence = F.interpolate(F.relu(confidence), size=4)
    return (confidence * x).sum(-1) / confidence.sum(-1)  # expect: NAN302 unsafe


def of_patches(x):
    patches = F.unfold(F.relu(x), 2)
    return patches / patches.sum(1, keepdim=True)  # expect: NAN302 unsafe
