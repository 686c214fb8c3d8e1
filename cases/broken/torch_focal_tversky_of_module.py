# breaks: gradient(focal_loss, [[200.0, -200.0]], [[1.0, 0.0]]), gradient(logarithmic_loss, [[200.0, -200.0]], [[1.0, 0.0]])
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
    def __init__(self, gamma=0.75):
        super().__init__()
        self.gamma = gamma
        self.tversky = Tversky()

    def forward(self, logits, target):
        rest = 1 + self.tversky(torch.sigmoid(logits), target)
        return torch.pow(rest, self.gamma)  # expect: NAN206 no-fix


class LogarithmicTversky(nn.Module):
    def __init__(self, gamma=0.3):
        super().__init__()
        self.gamma = gamma
        self.tversky = Tversky()

    def forward(self, logits, target):
        score = -self.tversky(torch.sigmoid(logits), target)
        return torch.pow(-torch.log(torch.clamp(score, 1e-6)), self.gamma)  # expect: NAN206 no-fix


def focal_loss(logits, target):
    return FocalTversky()(logits, target)


def logarithmic_loss(logits, target):
    return LogarithmicTversky()(logits, target)
