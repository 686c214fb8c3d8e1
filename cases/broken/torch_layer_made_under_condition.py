# breaks: value(unit_embedding, [[-1.0, -1.0], [-2.0, -1.0]]), gradient(unit_embedding, [[-1.0, -1.0], [-2.0, -1.0]])
import torch
from torch import nn


class Embedder(nn.Module):
    def __init__(self, has_head=True):
        super().__init__()
        self.has_head = has_head
        if has_head:
            self.head = nn.Sequential(nn.Identity(), nn.ReLU())

    def forward(self, x):
        if self.has_head:
            x = self.head(x)
            x = x / x.norm(dim=1, keepdim=True)  # expect: NAN303 unsafe
        return x


def unit_embedding(x):
    return Embedder()(x)


def train(loss, optimizer):
    loss.backward()
    optimizer.step()
