# breaks: value(stepped, [[1.0, 2.0]])
import torch
from torch import nn


class Standardized(nn.Module):
    def __init__(self, mean, spread):
        super().__init__()
        self.mean = nn.Parameter(torch.tensor(mean))
        self.spread = nn.Parameter(torch.tensor(spread))
        self.mean.requires_grad = False

    def forward(self, x):
        return (x - self.mean) / self.spread  # expect: NAN309 possible


def stepped(x):
    model = Standardized([0.0, 1.0], [1.0, 1.0])
    model(x).sum().backward()
    with torch.no_grad():
        model.spread += model.spread.grad  # a rate of -1
    return model(x)
