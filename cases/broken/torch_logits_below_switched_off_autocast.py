# breaks: gradient(lambda x: Weighted(Times(300.0)).forward(x), [[0.5, 0.5], [2.0, 1.0]])
import torch
from torch import nn
from torch.amp import autocast


class Times(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return self.factor * x


class Weighted(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    @autocast("cuda", enabled=False)
    def energies(self, x):
        return self.encoder(x) + (x * x).sum(-1, keepdim=True)

    def forward(self, x):
        scale = torch.exp(self.energies(x))
        weight = scale.clamp(max=5.0) / (1 + scale)  # expect: NAN106 no-fix
        return (x * weight).mean()
