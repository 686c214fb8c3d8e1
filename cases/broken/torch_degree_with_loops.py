"""Edges put beside the others leave a node without an edge alone."""

# breaks: value(lambda x: norm(torch.zeros(2, 0, dtype=torch.long), torch.tensor([[0], [0]]), 2) * x, [1.0, 2.0])
import torch


def degree(index, n):
    return torch.zeros(n).index_add(0, index, torch.ones(index.shape[0]))


def norm(edges, others, n):
    edges = torch.cat([edges, others], 1)
    return degree(edges[1], n).pow(-0.5)  # expect: NAN306 unsafe
