# holds: value(lambda x: scaled_noise(4) + x.sum(), [1.0, 2.0])
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def to_tensor(arrays):
    if isinstance(arrays, tuple):
        tensors = []
        for array in arrays:
            tensors.append(torch.from_numpy(array.copy()).float())
        return tuple(tensors)
    return torch.from_numpy(arrays.copy()).float()


def scaled_noise(size):
    x = to_tensor(np.random.normal(loc=0.0, scale=1.0, size=size))
    return x.sign().mul(x.abs().sqrt())


class Noisy(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.mean = nn.Parameter(torch.zeros(m, n))
        self.scale = nn.Parameter(torch.ones(m, n))
        self.register_buffer("noise", torch.zeros(m, n))

    def draw(self, n, m):
        self.noise.copy_(torch.outer(scaled_noise(m), scaled_noise(n)))

    def forward(self, x):
        return F.linear(x, self.mean + self.scale * self.noise)
