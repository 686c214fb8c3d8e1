# holds: value(lambda x: Attention()(x), [[[1.0, 0.0], [0.0, -1.0]]])
import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(2, 2)
        nn.init.eye_(self.project.weight)
        nn.init.zeros_(self.project.bias)

    def above_zero(self, x):
        q, k = F.elu(self.project(x)) + 1, F.elu(self.project(x)) + 1
        return q / torch.einsum("btd,bd->bt", q, k.sum(1))[..., None]

    def raised(self, x):
        q, k = F.relu(self.project(x)) + 1e-3, F.relu(self.project(x)) + 1e-3
        return q / (q @ k.sum(1).unsqueeze(-1))

    def guarded(self, x):
        q, k = F.relu(self.project(x)), F.relu(self.project(x))
        z = 1 / (torch.einsum("btd,bd->bt", q, k.sum(1)) + 1e-6)
        return z[..., None] * q

    def floored(self, x):
        q, k = F.relu(self.project(x)), F.relu(self.project(x))
        return q / torch.einsum("btd,bd->bt", q, k.sum(1)).clamp(min=1e-6)[..., None]

    def shares(self, x):
        q, k = self.project(x).softmax(-1), self.project(x).softmax(1)
        return q / torch.einsum("btd,bd->bt", q, k.sum(1))[..., None]

    def forward(self, x):
        given = self.above_zero(x) + self.raised(x) + self.guarded(x)
        return given + self.floored(x) + self.shares(x)


def train(loader):
    net = Attention()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for x in loader:
        loss = net(x).mean()
        loss.backward()
        optimizer.step()
