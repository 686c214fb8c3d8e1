# breaks: value(SpreadLoss(), [[1.0, 2.0]])
import torch
from torch import nn
from torch.utils.data import DataLoader


class SpreadLoss(nn.Module):
    def forward(self, z):
        return torch.relu(1 - z.std(dim=0)).mean()  # expect: NAN308 no-fix


def batches(data):
    return DataLoader(data, batch_size=64, shuffle=True)
