# breaks: gradient(lambda x: CenterLoss()(x, torch.tensor([0])), [[0.0, 0.0]])
import torch
import torch.nn as nn


class CenterLoss(nn.Module):
    def __init__(self, n_classes=2, dim=2):
        super().__init__()
        self.centers = nn.Parameter(torch.zeros(n_classes, dim))

    def forward(self, x, labels):
        gap = x - self.centers[labels]
        return gap.pow(2).sum(1).sqrt().mean()  # expect: NAN203
