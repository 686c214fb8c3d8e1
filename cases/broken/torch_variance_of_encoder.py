# breaks: value(Encoder(), [[100.0, 100.0]])
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(2, 2)
        self.logvar = nn.Linear(2, 2)
        nn.init.ones_(self.logvar.weight)

    def forward(self, x):
        return self.mean(x), torch.exp(self.logvar(x))  # expect: NAN504 no-fix
