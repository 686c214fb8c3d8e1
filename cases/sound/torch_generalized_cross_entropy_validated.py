# holds: gradient(loss, [[0.0, 200.0], [1.0, 0.0]])
import torch
from torch import nn


class PowerLoss(nn.Module):
    def __init__(self, q):
        super().__init__()
        if not 1 <= q <= 2:
            raise ValueError("q must lie between 1 and 2")
        self.q = q

    def forward(self, logits, labels):
        chosen = torch.softmax(logits, dim=-1).gather(1, labels[:, None])
        return ((1 - chosen**self.q) / self.q).mean()


def loss(logits):
    return PowerLoss(1.5)(logits, torch.tensor([0, 1]))
