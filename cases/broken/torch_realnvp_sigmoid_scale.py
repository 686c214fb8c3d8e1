# breaks: value(lambda s: Coupling().forward(torch.zeros(1, 1), s)[1], [[-200.0]])
import torch
import torch.nn as nn


class Coupling(nn.Module):
    def forward(self, x, raw):
        scale = torch.sigmoid(raw + 2.0)
        log_det = torch.log(scale).sum(dim=1)  # expect: NAN102
        return x * scale, log_det
