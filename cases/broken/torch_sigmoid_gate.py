# breaks: gradient(Gate.gate, [-200.0])
import torch
import torch.nn as nn


class Gate(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Linear(dim, dim)

    @staticmethod
    def gate(a):
        return 1 / (1 + torch.exp(-a))  # expect: NAN106

    def forward(self, x):
        return x * self.gate(self.proj(x))
