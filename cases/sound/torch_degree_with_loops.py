"""Every node is an end of the edge from itself to itself that is put beside the edges."""

# holds: value(lambda x: norm(torch.zeros(2, 0, dtype=torch.long), 2)[1] * x, [1.0, 2.0])
import torch


def degree(index, n):
    return torch.zeros(n).index_add(0, index, torch.ones(index.shape[0]))


def norm(edges, n):
    loops = torch.arange(n)
    edges = torch.cat([edges, torch.stack([loops, loops])], 1)
    inverse = degree(edges[1], n).pow(-0.5)
    return edges, inverse[edges[0]] * inverse[edges[1]]
