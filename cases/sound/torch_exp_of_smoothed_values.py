# holds: value(lambda x: Smoothed()(x), [[[0.1, 0.2, 0.3, 0.4]]])
import torch
import torch.nn.functional as F


class Smoothed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("kernel", torch.full((1, 1, 3), 1 / 3))

    def forward(self, x):
        return torch.exp(F.conv1d(x, self.kernel))


def train(smoothed, net, x, y, optimizer):
    loss = (net(smoothed(x)) - y).abs().mean()
    loss.backward()
    optimizer.step()
