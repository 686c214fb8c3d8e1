# holds: Drawn()(torch.ones(2, 3)).detach()
# holds: Reset()(torch.ones(2, 3)).detach()
# holds: Copied(torch.ones(3))(torch.ones(2, 3)).detach()
# holds: Biased()(torch.ones(2, 8)).detach()
# holds: Offset()(torch.ones(2, 3)).detach()
import torch
import torch.nn.functional as F
from torch import nn


class Drawn(nn.Module):
    def __init__(self):
        super().__init__()
        self.drawn = nn.Parameter(torch.zeros(3))
        nn.init.normal_(self.drawn)

    def forward(self, x):
        return x @ (self.drawn / self.drawn.norm())


class Reset(nn.Module):
    def __init__(self):
        super().__init__()
        self.spread = nn.Parameter(torch.zeros(3))
        self.reset()

    def reset(self):
        self.spread.data.uniform_(-1, 1)

    def forward(self, x):
        return x @ (self.spread / self.spread.norm())


class Copied(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.start = nn.Parameter(torch.zeros(3))
        with torch.no_grad():
            self.start.copy_(start)

    def forward(self, x):
        return x @ (self.start / self.start.norm())


class Biased(nn.Module):
    def __init__(self):
        super().__init__()
        self.rot = nn.Linear(8, 4)
        nn.init.zeros_(self.rot.weight)
        with torch.no_grad():
            self.rot.bias.copy_(torch.tensor([1.0, 0.0, 0.0, 0.0]))

    def forward(self, x):
        r = self.rot(x)
        return r / r.norm(dim=-1, keepdim=True)


class Offset(nn.Module):
    def __init__(self):
        super().__init__()
        self.shift = nn.Linear(3, 3)
        nn.init.zeros_(self.shift.weight)
        nn.init.zeros_(self.shift.bias)

    def forward(self, x):
        r, s = x + self.shift(x), self.shift(x)
        return r / r.norm(dim=-1, keepdim=True) + F.normalize(s, dim=-1)
