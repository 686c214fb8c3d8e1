"""Shares of a mixture as a softmax of what is trained: -inf is a probability of 0."""

# holds: value(train, [[0.5, -0.5, 0.0], [0.0, 0.5, 0.5]])
import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self, components, features):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(components))
        self.means = nn.Parameter(torch.zeros(components, features))

    def forward(self, x):
        distance = ((x[:, None] - self.means) ** 2).sum(-1)
        scores = torch.log_softmax(self.logits, dim=-1) - 0.5 * distance
        return torch.logsumexp(scores, dim=-1)


def train(x):
    mixture = Mixture(2, x.shape[-1])
    optimizer = torch.optim.SGD(mixture.parameters(), lr=0.1)
    for _ in range(20):
        loss = ((mixture(x) + 9.0) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return mixture(x)
