# breaks: value(lambda x: Logit()(x), [0.0, 0.5])
# breaks: value(to_logit, [0.0, 0.5])
import torch
from torch import nn


class Logit(nn.Module):
    def __init__(self, squeeze=0.0):
        super().__init__()
        self.squeeze = squeeze

    def forward(self, x):
        x = self.squeeze + (1 - 2 * self.squeeze) * x
        return torch.log(x) - torch.log1p(-x)  # expect: NAN201 unsafe


def to_logit(x, alpha=0.0):
    x = alpha + (1.0 - 2.0 * alpha) * x
    return torch.log(x) - torch.log1p(-x)  # expect: NAN201 unsafe


def train(batches):
    flow, net = Logit(), nn.Linear(4, 4)
    optimizer = torch.optim.Adam(net.parameters())
    for pixels in batches:
        loss = net(flow(pixels)).square().mean() + to_logit(pixels).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
