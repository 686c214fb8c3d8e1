# holds: value(lambda x: opacity(Field(), x * torch.ones(1, 3), torch.tensor([[0.0, 0.5, 1.0]])), 1e4)
import torch
import torch.nn as nn
import torch.nn.functional as F


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.density = nn.Linear(3, 2)

    def forward(self, x):
        return F.relu(self.density(x))


def opacity(field, x, depths):
    steps = depths[..., 1:] - depths[..., :-1]
    return 1 - torch.exp(-field(x) * steps)


def train(batches, optimizer):
    field = Field()
    for x, depths, y in batches:
        loss = ((opacity(field, x, depths) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
