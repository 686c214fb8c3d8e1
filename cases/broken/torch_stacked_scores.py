import torch
from torch import nn


class Deviation(nn.Module):
    def forward(self, predictions, truths):
        found = []
        for predicted, truth in zip(predictions, truths):
            found.append(torch.sqrt(((predicted - truth) ** 2).sum(dim=1).mean()))  # expect: NAN203
        return torch.stack(found).mean()
