# breaks: Pose()(torch.ones(2, 8)).detach()
import torch
from torch import nn


class Pose(nn.Module):
    def __init__(self):
        super().__init__()
        self.rot = nn.Linear(8, 3)
        nn.init.zeros_(self.rot.weight)
        nn.init.zeros_(self.rot.bias)

    def forward(self, x):
        r = self.rot(x)
        return r / r.norm(dim=-1, keepdim=True)  # expect: NAN303 unsafe


def train(loader):
    net = Pose()
    optimizer = torch.optim.Adam(net.parameters())
    for x, y in loader:
        loss = (net(x) - y).pow(2).mean()
        loss.backward()
        optimizer.step()
