# possible: ignored
# holds: value(lambda x: Pose()(x), [[1.0, 2.0, 3.0]])
# holds: value(lambda x: Direction()(x), [[1.0, 2.0, 3.0]])
# holds: value(lambda x: Shifted()(x), [[1.0, 2.0, 3.0]])
import torch
from torch import nn


def normalized(q):
    return q / torch.sqrt((q * q).sum(-1, keepdim=True))


class Pose(nn.Module):
    def __init__(self):
        super().__init__()
        self.rotation = nn.Linear(3, 4)
        nn.init.zeros_(self.rotation.weight)
        nn.init.ones_(self.rotation.bias)

    def forward(self, x):
        return normalized(self.rotation(x))


def direction(w):
    return w / w.norm()


class Direction(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(3))
        nn.init.normal_(self.weight)

    def forward(self, x):
        return x @ direction(self.weight)


def unit(w):
    return w / w.norm()


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(3))
        self.register_buffer("rest", torch.tensor([1.0, 0.0, 0.0]))

    def forward(self, x):
        return x @ unit(self.weight + self.rest)
