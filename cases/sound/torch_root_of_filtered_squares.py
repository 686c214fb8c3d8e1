"""A filter by a fixed kernel keeps squares from being negative, unlike the weights of a layer."""

# holds: value(deviation, [[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]])
import torch
import torch.nn.functional as F


def smooth(x, size=3):
    kernel = torch.ones(1, 1, size, size) / size**2
    return torch.cat([F.conv2d(channel[:, None], kernel) for channel in x.unbind(1)], dim=1)


def deviation(x):
    return torch.sqrt(smooth(x**2))
