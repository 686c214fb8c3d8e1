# holds: value(embedding, [[1.0, -2.0], [-3.0, 1.0]])
import numpy as np
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.relu = nn.ReLU()
        nn.init.eye_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)

    def forward(self, frames):
        raw = self.relu(self.linear(frames))
        length = torch.norm(raw, dim=1, keepdim=True)
        if (length == 0).any():
            raise ValueError("a frame is silent")
        return raw / length

    def embed(self, frames):
        with torch.no_grad():
            parts = self(frames).cpu().numpy()
        whole = np.mean(parts, axis=0)
        return whole / np.linalg.norm(whole, 2)


def embedding(frames):
    return torch.from_numpy(Encoder().embed(frames))
