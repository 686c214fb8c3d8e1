# breaks: value(GraphLayer(1, 1), [[1.0], [1.0]], [[0.0, 0.0], [0.0, 1.0]])
# holds: value(GraphLayer(1, 1, True), [[1.0], [1.0]], [[0.0, 0.0], [0.0, 1.0]])
import torch
import torch.nn as nn


class GraphLayer(nn.Module):
    def __init__(self, size_in, size_out, self_loops=False):
        super().__init__()
        self.linear = nn.Linear(size_in, size_out)
        self.self_loops = self_loops

    def forward(self, x, adj):
        if self.self_loops:
            adj = adj + torch.eye(adj.shape[0])
        scale = adj.sum(1).pow(-0.5)  # expect: NAN306 no-fix
        return (scale[:, None] * adj * scale[None, :]) @ self.linear(x)
