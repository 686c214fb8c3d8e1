# breaks: value(lambda x: Decay()(x * torch.ones(1, 3), torch.ones(1, 1)), -1e4)
# breaks: value(lambda x: Growth()(x * torch.ones(1, 3), torch.ones(1, 1)), 1e4)
import torch
import torch.nn as nn
import torch.nn.functional as F


class Decay(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = nn.Linear(3, 1)
        nn.init.ones_(self.rate.weight)

    def forward(self, x, time):
        return torch.exp(-self.rate(x) * time)  # expect: NAN504 no-fix


class Growth(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = nn.Linear(3, 1)
        nn.init.ones_(self.rate.weight)

    def forward(self, x, time):
        return torch.exp(F.softplus(self.rate(x)) * time)  # expect: NAN504 no-fix
