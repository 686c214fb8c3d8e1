# breaks: gradient(lambda x: Bilinear()(x).sum(), [[[-1.0, -2.0], [1.0, 2.0]]])
import torch
from torch import nn


class Bilinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.stream = nn.Sequential(nn.Identity(), nn.ReLU(), nn.MaxPool1d(2))
        self.dropout = nn.Dropout(0.2)

    def forward(self, x):
        features = self.dropout(self.stream(x))
        gram = torch.bmm(features, features.transpose(1, 2))
        return torch.sign(gram) * torch.sqrt(torch.abs(gram))  # expect: NAN203
