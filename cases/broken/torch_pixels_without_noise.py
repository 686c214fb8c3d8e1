"""Pixels divided by 255 attain 0 and 1: a logit needs noise or a margin."""

# breaks: value(lambda x: RawLogit()(x / 255.0)[0], [[0.0, 255.0]])
# breaks: value(density, [[0.0, 255.0]])
import torch
from torch import nn


class RawLogit(nn.Module):
    def forward(self, x):
        return torch.log(x / (1 - x)), -torch.log(x).sum(-1)  # expect: NAN201 no-fix; NAN201 unsafe


def train(net, images):
    flow = RawLogit()
    optimizer = torch.optim.Adam(net.parameters())
    for x in images.split(32):
        y, d = flow(x / 255.0)
        loss = (net(y).sum(-1) + d).mean()
        loss.backward()
        optimizer.step()


def density(x):
    x = x.float() / 255
    return (torch.log(x) - torch.log1p(-x)).sum(-1)  # expect: NAN201 no-fix; NAN201 unsafe
