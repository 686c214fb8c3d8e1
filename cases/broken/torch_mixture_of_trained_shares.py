"""Shares of a mixture that nothing keeps above 0: their logarithm is NaN below it."""

# breaks: value(train, [[0.5, -0.5, 0.0], [0.0, 0.5, 0.5]])
import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self, components, features):
        super().__init__()
        self.shares = nn.Parameter(torch.full((components,), 1.0 / components))
        self.means = nn.Parameter(torch.zeros(components, features))

    def forward(self, x):
        distance = ((x[:, None] - self.means) ** 2).sum(-1)
        scores = torch.log(self.shares) - 0.5 * distance  # expect: NAN201 unsafe
        return torch.logsumexp(scores, dim=-1)


def train(x):
    mixture = Mixture(2, x.shape[-1])
    optimizer = torch.optim.SGD(mixture.parameters(), lr=0.5)
    for _ in range(20):
        loss = ((mixture(x) + 9.0) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return mixture(x)
