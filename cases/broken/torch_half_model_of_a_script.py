# breaks: value(served, [[0.0, 0.0]])
import torch
from torch import nn


class Shares(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Linear(2, 2, bias=False)

    def forward(self, x):
        h = torch.relu(self.scale(x))
        return h / (h.sum(dim=-1, keepdim=True) + 1e-8)  # expect: NAN502 no-fix


model = Shares()
model.to(torch.float16)
model(torch.ones(1, 2).half())


def served(x):
    return model(x.half())
