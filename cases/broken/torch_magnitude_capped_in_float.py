# breaks: gradient(lambda x: Head()(x), [[1000.0, 1000.0]])
import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        nn.init.constant_(self.linear.weight, 1.0)

    def forward(self, hidden):
        magnitude = self.linear(hidden).float()
        return torch.exp(magnitude).clamp(max=1e2)  # expect: NAN405 safe
