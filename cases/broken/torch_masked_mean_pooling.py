# breaks: value(MeanPool(), [[[1.0], [2.0]]], [[0, 0]])
import torch
import torch.nn as nn


class MeanPool(nn.Module):
    def forward(self, hidden, attention_mask):
        mask = attention_mask.unsqueeze(-1).float()
        summed = (hidden * mask).sum(dim=1)
        return summed / mask.sum(dim=1)  # expect: NAN301 unsafe
