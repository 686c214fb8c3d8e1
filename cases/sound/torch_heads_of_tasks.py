# holds: Heads()(torch.ones(2, 4), torch.tensor([0, 1]), torch.tensor([0, 0])).detach()
import torch
import torch.nn.functional as F
from torch import nn


class Heads(nn.Module):
    def __init__(self, tasks=2):
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(4, 3) for _ in range(tasks)])

    def forward(self, x, y, task):
        losses = []
        for k, head in enumerate(self.heads):
            rows = task == k
            if rows.any():
                losses.append(F.cross_entropy(head(x[rows]), y[rows]))
        return torch.stack(losses).mean()
