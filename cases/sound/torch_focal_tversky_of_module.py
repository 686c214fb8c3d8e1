# holds: gradient(focal_loss, [[200.0, -200.0]], [[1.0, 0.0]]), gradient(rest_loss, [[20.0, -20.0]], [[1.0, 0.0]])
import torch
from torch import nn


class Tversky(nn.Module):
    def __init__(self, smooth=1.0):
        super().__init__()
        self.smooth = smooth

    def forward(self, p, target):
        tp = (p * target).sum()
        fp = (p * (1 - target)).sum()
        fn = ((1 - p) * target).sum()
        score = (tp + self.smooth) / (tp + 0.3 * fp + 0.7 * fn + self.smooth)
        return -score.mean()


class FocalTversky(nn.Module):
    def __init__(self, gamma=1.5):
        super().__init__()
        self.gamma = gamma
        self.tversky = Tversky()

    def forward(self, logits, target):
        return torch.pow(1 + self.tversky(torch.sigmoid(logits), target), self.gamma)


def focal_loss(logits, target):
    return FocalTversky()(logits, target)


def rest_loss(logits, target):
    share = (torch.sigmoid(logits) * target).sum() / ((torch.sigmoid(logits) * target).sum() + 1.0)
    return torch.pow(1 - share, 0.75)
