# breaks: value(normalise_adjacency, [[0.0, 0.0], [0.0, 1.0]])
import torch


def normalise_adjacency(adj):
    degree = adj.sum(dim=1)
    d_inv_sqrt = degree.pow(-0.5)  # expect: NAN306 unsafe
    return d_inv_sqrt.unsqueeze(1) * adj * d_inv_sqrt.unsqueeze(0)
