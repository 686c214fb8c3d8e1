"""Draws the logarithms of shares: what is -inf is made the least of the others first."""

import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(8, 4)

    def forward(self, x):
        return self.last(x)


def pictured(decoder, x):
    heights = decoder(x).detach()
    heights = torch.log(torch.softmax(heights, dim=1))
    heights[torch.isinf(heights)] = heights[~torch.isinf(heights)].min()
    return heights.cpu().numpy()
