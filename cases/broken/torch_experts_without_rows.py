# breaks: Experts()(torch.ones(2, 4)).detach()
import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self, d=4, n=3):
        super().__init__()
        self.gate = nn.Linear(d, n)
        self.experts = nn.ModuleList([nn.Linear(d, d) for _ in range(n)])

    def forward(self, x):
        index = self.gate(x).argmax(-1)
        sizes = []
        for e, f in enumerate(self.experts):
            rows = (index == e).nonzero(as_tuple=True)[0]
            y = f(x[rows])
            sizes.append(y.pow(2).mean())  # expect: NAN307 no-fix
        return torch.stack(sizes).mean()
