# holds: gradient(MultiScale().forward, [200.0, -200.0, 0.0])
import torch
from torch import nn


class MultiScale(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weights", torch.tensor([1.0, 2.0, 3.0]))

    def forward(self, x):
        similarity = torch.sigmoid(x)
        return torch.sum(similarity**self.weights)
