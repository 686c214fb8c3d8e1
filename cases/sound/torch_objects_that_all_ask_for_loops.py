# holds: value(Model(), [[1.0], [1.0]], [[0.0, 0.0], [0.0, 1.0]])
import torch
import torch.nn as nn


class _GraphLayer(nn.Module):
    def __init__(self, size_in, size_out, self_loops=False):
        super().__init__()
        self.linear = nn.Linear(size_in, size_out)
        self.self_loops = self_loops

    def forward(self, x, adj):
        if self.self_loops:
            adj = adj + torch.eye(adj.shape[0])
        scale = adj.sum(1).pow(-0.5)
        return (scale[:, None] * adj * scale[None, :]) @ self.linear(x)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = _GraphLayer(1, 4, self_loops=True)
        self.second = _GraphLayer(4, 1, self_loops=True)

    def forward(self, x, adj):
        return self.second(torch.relu(self.first(x, adj)), adj)
