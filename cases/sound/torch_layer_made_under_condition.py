# holds: value(unit_embedding, [[-1.0, -1.0], [-2.0, -1.0]]), gradient(unit_embedding, [[-1.0, -1.0], [-2.0, -1.0]])
import torch
from torch import nn


class Base(nn.Module):
    head = nn.Softplus()


class Embedder(Base):
    def __init__(self, has_head=False):
        super().__init__()
        self.has_head = has_head
        if has_head:
            self.head = nn.Sequential(nn.Identity(), nn.ReLU())

    def forward(self, x):
        x = self.head(x)
        return x / x.norm(dim=1, keepdim=True)


def unit_embedding(x):
    return Embedder()(x)


def train(loss, optimizer):
    loss.backward()
    optimizer.step()
