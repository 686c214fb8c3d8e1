# holds: gradient(lambda x: -torch.log(Gate(2)(x)).mean(), [[1000.0, 0.0], [-1000.0, 0.0]])
# holds: value(lambda x: torch.sqrt(Own(2)(x)), [[1000.0, 0.0], [-1000.0, 0.0]])
import torch
from torch import nn


class Floor(nn.Module):
    def forward(self, x):
        return x.clamp(min=0.01)


class Gate(nn.Sequential):
    def __init__(self, size):
        super().__init__(nn.Linear(size, 1), nn.Sigmoid(), Floor())


class Own(nn.Sequential):
    def __init__(self, size):
        super().__init__(nn.Linear(size, 1), nn.ReLU())

    def forward(self, x):
        return super().forward(x) + 0.01


def train(batches):
    gate, own = Gate(2), Own(2)
    optimizer = torch.optim.Adam([*gate.parameters(), *own.parameters()])
    for x in batches:
        loss = -torch.log(gate(x)).mean() + torch.sqrt(own(x)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
