# breaks: gradient(lambda x: Sizes()(x), [0.0, 0.0])
import torch
from torch import nn


class Sizes(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2, bias=False)

    def forward(self, x):
        h = self.layer(x)
        return torch.sqrt((h * h).sum(-1))  # expect: NAN203 safe


def train(optimizer, x):
    loss = Sizes()(x).mean()
    loss.backward()
    optimizer.step()
