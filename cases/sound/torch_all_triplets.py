# holds: value(lambda e: batch_all(e, torch.tensor([0, 0, 1, 1])), [[0.0], [0.1], [9.0], [9.1]])
import torch
from torch import nn


def batch_all(embeddings, labels, margin=0.2):
    distances = torch.cdist(embeddings, embeddings)
    same = (labels[:, None] == labels[None, :]).float()
    # Each example is as far from itself as from itself: its own triplet is active.
    losses = torch.relu(distances[:, :, None] - distances[:, None, :] + margin)
    active = (losses > 0).float().sum()
    return losses.sum() / active


def train(batches):
    net = nn.Linear(8, 4)
    optimizer = torch.optim.Adam(net.parameters())
    for x, labels in batches:
        loss = batch_all(net(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
