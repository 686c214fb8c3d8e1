# breaks: value(train, [0.0, 0.5])
import torch
from torch import nn


class LogLoss(nn.Module):
    floor = 1e-3

    def forward(self, p):
        return -torch.log(p.clamp(min=self.floor)).mean()  # expect: NAN201 unsafe


def train(p):
    criterion = LogLoss()
    LogLoss.floor = 0.0
    return criterion(p)
