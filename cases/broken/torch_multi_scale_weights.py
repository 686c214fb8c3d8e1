# breaks: gradient(MultiScale().forward, [200.0, -200.0, 0.0])
import torch
from torch import nn


class MultiScale(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weights", torch.tensor([0.0448, 0.2856, 0.3001]))

    def forward(self, x):
        similarity = torch.sigmoid(x)
        return torch.prod(similarity**self.weights)  # expect: NAN206 unsafe
