# holds: value(gate, [1.0, 2.0])
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([0.0, 0.0], dtype=torch.float16))

    def forward(self, x):
        weight = torch.relu(self.weight.float())
        return x * (weight / (weight.sum() + 1e-8))


def gate(x):
    return Gate()(x)
