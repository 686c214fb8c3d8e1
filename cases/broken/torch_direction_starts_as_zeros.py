# breaks: Steering()(torch.ones(2, 3)).detach()
import torch
from torch import nn


class Steering(nn.Module):
    def __init__(self):
        super().__init__()
        self.direction = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        unit = self.direction / self.direction.norm()  # expect: NAN303 unsafe
        return x @ unit
