# breaks: value(lambda x: Pose()(x), [[1.0, 2.0, 3.0]])
# breaks: value(lambda x: Direction()(x), [[1.0, 2.0, 3.0]])
import torch
from torch import nn


def normalized(q):
    # expect: NAN303 unsafe; NAN203 possible
    return q / torch.sqrt((q * q).sum(-1, keepdim=True))


def rotation(q):
    q = normalized(q)
    return 2 * q.unsqueeze(-1) * q.unsqueeze(-2) - torch.eye(4)


class Pose(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(3, 8), nn.ReLU())
        self.rotation = nn.Linear(8, 4)
        nn.init.zeros_(self.rotation.weight)
        nn.init.zeros_(self.rotation.bias)

    def forward(self, x):
        return rotation(self.rotation(self.trunk(x)))


def direction(w):
    return w / w.norm()  # expect: NAN303 unsafe


class Direction(nn.Module):
    def __init__(self):
        super().__init__()
        self.axis = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        return x @ direction(self.axis)
