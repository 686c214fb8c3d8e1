# holds: Schedule(10, 1e-4, 0.02).root
import torch
from torch import nn


class Schedule(nn.Module):
    def __init__(self, steps, first, last, mode="linear"):
        super().__init__()
        if mode == "linear":
            rates = torch.linspace(first, last, steps=steps)
        rates = torch.cat([torch.zeros([1]), rates], dim=0)
        root = torch.sqrt(rates)
        steady = torch.zeros_like(root)
        for i in range(1, root.size(0)):
            steady[i] = rates[i]
        self.register_buffer("root", root)
        self.register_buffer("steady", steady)
