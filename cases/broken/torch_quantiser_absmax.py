# breaks: value(AbsMaxQuant().forward, [0.0, 0.0])
import torch
import torch.nn as nn


class AbsMaxQuant(nn.Module):
    """Symmetric 8-bit weights: the scale is the largest magnitude."""

    def forward(self, w):
        scale = w.abs().max() / 127.0
        return torch.round(w / scale) * scale  # expect: NAN309 no-fix
