# holds: value(lambda x: Head()(x), [3.0, 4.0]), value(lambda x: Wide(x), [3.0, 4.0]), gradient(lambda x: Head().angle(x), [[1.0, 0.5]])
import torch
from torch import nn


class Head(nn.Module):
    scale = 10.0
    margin = 1e-6

    def forward(self, x):
        return torch.exp(torch.tanh(x) * self.scale)

    def angle(self, x):
        return torch.acos(torch.clamp(x, -1 + self.margin, 1 - self.margin))


class Scaled:
    scale = 100.0

    def exp(self, x):
        return torch.exp(torch.tanh(x) * self.scale)


class Narrow(Scaled):
    scale = 2.0


def Wide(x):
    return Narrow().exp(x)


def train(net, head, x, y, optimizer):
    out = net(x)
    loss = (head(out) - y).abs().mean() + head.angle(out).mean() + Wide(out).mean()
    loss.backward()
    optimizer.step()
