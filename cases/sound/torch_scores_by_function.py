# holds: attend(torch.tanh(torch.tensor([100.0])))
import torch
from torch import nn


def attend(score):
    return score.exp()


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(8, 1), nn.Tanh())

    def forward(self, x):
        return attend(self.score(x))


def train(loader):
    net = Attention()
    optimizer = torch.optim.Adam(net.parameters())
    for x, y in loader:
        loss = (net(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
