# breaks: value(lambda x: Head()(x), [3.0, 4.0]), gradient(lambda x: Head().angle(x), [[1.0, 0.5]])
import torch
from torch import nn


class Head(nn.Module):
    scale = 100.0
    margin = 1e-8

    def forward(self, x):
        return torch.exp(torch.tanh(x) * self.scale)  # expect: NAN504 no-fix

    def angle(self, x):
        return torch.acos(torch.clamp(x, -1 + self.margin, 1 - self.margin))  # expect: NAN501 unsafe


def train(net, head, x, y, optimizer):
    out = net(x)
    loss = (head(out) - y).abs().mean() + head.angle(out).mean()
    loss.backward()
    optimizer.step()
