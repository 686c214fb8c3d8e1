# holds: Steering()(torch.ones(2, 3)).detach()
import torch
from torch import nn


class Steering(nn.Module):
    def __init__(self):
        super().__init__()
        self.direction = nn.Parameter(torch.zeros(3))
        for parameter in self.parameters():
            nn.init.normal_(parameter)

    def forward(self, x):
        return x @ (self.direction / self.direction.norm())
