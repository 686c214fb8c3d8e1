# holds: value(lambda x: Ensemble(2).first(x * torch.ones(4)), 1e4)
# A list that a comprehension makes holds networks: any index, and any round of a loop, gives one.
import torch
from torch import nn


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)
        nn.init.constant_(self.layer.weight, 0.5)
        self.layer.weight.data[0] = -0.5

    def forward(self, x):
        return torch.softmax(self.layer(x), dim=-1) + 1e-6


class Ensemble(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.members = nn.ModuleList([Network() for _ in range(size)])

    def first(self, x):
        return torch.log(self.members[0](x))

    def forward(self, x):
        return [member(x) for member in self.members]


def train(batches):
    ensemble = Ensemble(5)
    optimizer = torch.optim.Adam(ensemble.parameters())
    for x, y in batches:
        for p in ensemble(x):
            loss = -(y * torch.log(p)).sum()
            loss.backward()
        optimizer.step()
