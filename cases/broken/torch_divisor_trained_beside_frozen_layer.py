# breaks: value(Scaled().eval(), [[1.0, 2.0]])
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.zeros(2))
        for weight in self.features.parameters():
            weight.requires_grad = False

    def forward(self, x):
        return self.features(x) / self.scale  # expect: NAN309 no-fix
