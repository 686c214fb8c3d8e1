# holds: value(AbsMaxQuant().forward, [0.0, 0.0])
import torch
import torch.nn as nn


class AbsMaxQuant(nn.Module):
    def __init__(self, bits=8):
        super().__init__()
        self.qmax = 2 ** (bits - 1) - 1

    def forward(self, w):
        scale = w.abs().max().clamp(min=1e-5) / self.qmax
        return torch.round(w / scale).clamp(-self.qmax, self.qmax) * scale
