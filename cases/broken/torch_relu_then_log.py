# breaks: value(lambda x: CountModel()(x), [[0.0]])
import torch
import torch.nn as nn


class CountModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()

    def forward(self, counts):
        h = self.relu(counts)
        return torch.log(h)  # expect: NAN201 unsafe
