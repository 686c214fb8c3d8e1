# holds: value(lambda h: pooled(h, torch.tensor([0, 0, 1])), [[1.0], [2.0], [3.0]])
# holds: value(lambda h: pooled_by_hand(h, torch.tensor([0, 0, 1])), [[1.0], [2.0], [3.0]])
import torch
from torch import nn


def count(index, number):
    return torch.zeros(number).index_add_(0, index, torch.ones(index.numel()))


def pooled(h, batch):
    # The last graph is the one that the largest number names, and each has nodes.
    number = int(batch.max()) + 1
    sums = torch.zeros(number, h.shape[1]).index_add_(0, batch, h)
    return sums / count(batch, number)[:, None]


def pooled_by_hand(h, batch):
    number = batch.max().item() + 1
    sums = torch.zeros(number, h.shape[1]).index_add_(0, batch, h)
    counts = torch.bincount(batch, minlength=number)
    return sums / counts[:, None]


def train(batches):
    net = nn.Linear(8, 4)
    optimizer = torch.optim.Adam(net.parameters())
    for x, batch in batches:
        loss = (pooled(net(x), batch) + pooled_by_hand(net(x), batch)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
