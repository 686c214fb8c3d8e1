# holds: value(MeanPool(), [[[1.0], [2.0]]], [[0, 0]])
import torch
import torch.nn as nn


class MeanPool(nn.Module):
    def forward(self, hidden, attention_mask):
        mask = attention_mask.unsqueeze(-1).expand(hidden.size()).float()
        summed = torch.sum(hidden * mask, 1)
        counts = torch.clamp(mask.sum(1), min=1e-9)
        return summed / counts
