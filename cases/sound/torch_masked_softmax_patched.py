# holds: gradient(lambda s: attend(s, torch.tensor([[True, True], [False, False]])), [[1.0, 2.0], [3.0, 4.0]])
# The scores of a masked row are replaced, so that the NaN of its softmax goes back to none of them.
import torch
from torch import nn


def attend(scores, keep):
    weights = scores.masked_fill(~keep, float("-inf")).softmax(-1)
    return torch.nan_to_num(weights).pow(2).sum()


def train(batches):
    net = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(net.parameters())
    for x, keep in batches:
        loss = attend(net(x), keep)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
