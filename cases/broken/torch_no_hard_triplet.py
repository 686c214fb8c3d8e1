# breaks: value(lambda e: Triplet()(e, torch.tensor([0, 0, 1, 1])), [[0.0], [0.1], [9.0], [9.1]])
import torch
from torch import nn


class Triplet(nn.Module):
    def __init__(self, margin=0.2):
        super().__init__()
        self.margin = margin

    def forward(self, embeddings, labels):
        distances = torch.cdist(embeddings, embeddings)
        same = labels[:, None] == labels[None, :]
        farthest = (distances * same).max(1).values
        nearest = distances.masked_fill(same, float("inf")).min(1).values
        gaps = farthest - nearest + self.margin
        return gaps[gaps > 0].mean()  # expect: NAN307 no-fix


def train(batches):
    net, triplet = nn.Linear(8, 4), Triplet()
    optimizer = torch.optim.Adam(net.parameters())
    for x, labels in batches:
        loss = triplet(net(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
