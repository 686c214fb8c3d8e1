# breaks: value(lambda h: averaged(h, torch.tensor([[0, 0], [1, 2]])), [[1.0], [2.0], [3.0]])
import torch
from torch import nn


def count(index, number):
    return torch.zeros(number).index_add_(0, index, torch.ones(index.numel()))


def averaged(h, edges):
    rows, columns = edges
    sums = torch.zeros_like(h).index_add_(0, rows, h[columns])
    return sums / count(rows, len(h))[:, None]  # expect: NAN306 unsafe


def train(batches):
    net = nn.Linear(8, 4)
    optimizer = torch.optim.Adam(net.parameters())
    for x, edges in batches:
        loss = averaged(net(x), edges).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
