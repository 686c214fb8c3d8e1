# possible: ignored
"""A mixture of densities far from the target: all of them underflow before the logarithm."""

# breaks: value(lambda y: loss(*MixtureDensity()(torch.zeros(1, 1)), y), [[200.0]])
import torch
from torch import nn


class MixtureDensity(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(1, 20)
        self.weights = nn.Linear(20, 5)
        self.deviation = nn.Linear(20, 5)
        self.mean = nn.Linear(20, 5)

    def forward(self, x):
        h = torch.tanh(self.hidden(x))
        return torch.softmax(self.weights(h), -1), nn.functional.softplus(self.deviation(h)) + 1e-3, self.mean(h)


def density(y, mean, deviation):
    z = (y.expand_as(mean) - mean) * torch.reciprocal(deviation)
    return torch.exp(-0.5 * z * z) * torch.reciprocal(deviation) / 2.5066


def loss(weights, deviation, mean, y):
    mixture = density(y, mean, deviation) * weights
    return torch.mean(-torch.log(torch.sum(mixture, dim=1)))  # expect: NAN201 unsafe


if __name__ == "__main__":
    model = MixtureDensity()
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(3):
        step = loss(*model(torch.rand(8, 1)), torch.rand(8, 1))
        optimizer.zero_grad()
        step.backward()
        optimizer.step()
