# breaks: value(lambda x: saturated()(x), [[200.0, 200.0]])
import torch
from torch import nn


class InverseGate(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(2, 2)

    def forward(self, x):
        return x / torch.sigmoid(self.gate(x))  # expect: NAN309 no-fix


def saturated():
    module = InverseGate()
    nn.init.constant_(module.gate.weight, -1.0)
    return module
