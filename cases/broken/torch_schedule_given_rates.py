import torch
from torch import nn


class Schedule(nn.Module):
    def __init__(self, steps, last, rates, mode="linear"):
        super().__init__()
        if mode == "linear":
            rates = torch.linspace(0, last, steps=steps)
        rates = torch.cat([torch.zeros([1]), rates], dim=0)
        self.root = torch.sqrt(rates)  # expect: NAN203 unsafe

    def forward(self, x):
        return x * self.root
