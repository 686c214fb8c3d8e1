# holds: gradient(LogDice().forward, [[200.0, -200.0]], [[1.0, 0.0]])
import torch
from torch import nn


class LogDice(nn.Module):
    def __init__(self, power=0.3):
        super().__init__()
        self.power = power

    def forward(self, logits, target):
        p = torch.sigmoid(logits).contiguous().view(-1)
        t = target.contiguous().view(-1)
        overlap = (p * t).sum()
        dice = (2.0 * overlap + 1.0) / (p.sum() + t.sum() + 1.0)
        return (-torch.log(dice) + 1e-6) ** self.power
