# breaks: gradient(Margin(), [[3.0, 4.0]])
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Margin(nn.Module):
    def __init__(self, margin=0.5):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([[1.0, 0.0], [0.0, 1.0], [3.0, 4.0]]))
        self.margin = margin
        self.threshold = math.cos(math.pi - margin)

    def forward(self, x):
        cosine = F.linear(F.normalize(x), F.normalize(self.weight))
        phi = torch.cos(torch.acos(cosine) + self.margin)  # expect: NAN208 unsafe
        return torch.where(cosine > self.threshold, phi, cosine - 0.2)
