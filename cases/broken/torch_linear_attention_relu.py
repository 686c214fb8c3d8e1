# breaks: value(lambda x: Attention()(x), [[[1.0, 0.0], [0.0, -1.0]]])
import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(2, 2)
        nn.init.eye_(self.project.weight)
        nn.init.zeros_(self.project.bias)

    def phi(self, x):
        return F.relu(x)

    def forward(self, x):
        q, k = self.phi(self.project(x)), self.phi(self.project(x))
        z = 1 / torch.einsum("btd,bd->bt", q, k.sum(1))  # expect: NAN309 no-fix
        return z[..., None] * q


def train(loader):
    net = Attention()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for x in loader:
        loss = net(x).mean()
        loss.backward()
        optimizer.step()
