# breaks: value(lambda x: Scan()(x), [[5000.0, 5000.0]])
import torch
import torch.nn.functional as F
from torch import nn


class Scan(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Linear(2, 2)
        nn.init.ones_(self.step.weight)
        self.log_rate = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        step = F.softplus(self.step(x))
        rate = torch.exp(self.log_rate.clamp(max=5))
        return self.scan(x, step, rate)

    def scan(self, x, step, rate):
        return x * torch.exp(step * rate)  # expect: NAN504 no-fix


def train(scan, x, y, optimizer):
    loss = (scan(x) - y).abs().mean()
    loss.backward()
    optimizer.step()
