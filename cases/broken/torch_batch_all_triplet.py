# breaks: value(lambda e: batch_all(e, torch.tensor([0, 0, 1, 1])), [[0.0], [0.1], [9.0], [9.1]])
import torch
from torch import nn


def batch_all(embeddings, labels, margin=0.2):
    distances = torch.cdist(embeddings, embeddings)
    same = (labels[:, None] == labels[None, :]).float()
    valid = same[:, :, None] * (1 - same)[:, None, :]
    losses = torch.relu(distances[:, :, None] - distances[:, None, :] + margin) * valid
    active = (losses > 0).float().sum()
    return losses.sum() / active  # expect: NAN301


def train(batches):
    net = nn.Linear(8, 4)
    optimizer = torch.optim.Adam(net.parameters())
    for x, labels in batches:
        loss = batch_all(net(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
