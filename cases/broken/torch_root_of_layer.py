"""A layer's output is negative for half of its inputs: roots and fractional powers of it are NaN."""

# breaks: value(Cost().forward, [[1.0, -2.0], [3.0, 0.5]])
# breaks: value(lambda x: scale(x), [[1.0, 2.0]])
import torch
from torch import nn


class Cost(nn.Module):
    def __init__(self):
        super().__init__()
        self.elasticity = nn.Parameter(torch.full((2,), 0.5))
        self.fc = nn.Linear(2, 2)
        nn.init.constant_(self.fc.weight, -1.0)
        nn.init.zeros_(self.fc.bias)

    def forward(self, x):
        quantity = self.fc(x.abs())
        return torch.prod(quantity**self.elasticity, dim=-1)  # expect: NAN207 no-fix


layer = nn.Linear(2, 1)
nn.init.constant_(layer.weight, -1.0)


def scale(x):
    return torch.sqrt(layer(x))  # expect: NAN207 no-fix
