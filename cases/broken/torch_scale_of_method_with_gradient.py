# breaks: gradient(lambda w: Layer(w).forward(torch.zeros(2, 2)).sum(), [[1.0, 2.0]])
# breaks: gradient(lambda x: Positive().forward(x), [[-1.0, 2.0]])
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    def energy(self, x):
        return (x * x).sum(-1, keepdim=True)

    def forward(self, x):
        return self.weight * torch.sqrt(self.energy(self.weight * x))  # expect: NAN203


@torch.no_grad()
def floor_(x):
    return x.clamp_(min=0)


class Positive(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        return torch.sqrt(floor_(self.linear(x) - 9)).mean()  # expect: NAN203
