"""The values are replaced, and the gradients of those before are not: 0 times infinity is NaN."""

import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(8, 4)

    def forward(self, x):
        heights = torch.log(torch.softmax(self.last(x), dim=1))  # expect: NAN101
        heights[torch.isinf(heights)] = -100.0
        return heights


def step(decoder, optimizer, x, y):
    loss = (decoder(x) * y).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
