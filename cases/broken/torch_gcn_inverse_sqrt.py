# breaks: value(normalize, [[0.0, 0.0], [0.0, 1.0]])
import torch


def normalize(adj):
    rowsum = adj.sum(1)
    d_inv_sqrt = torch.diag(torch.pow(rowsum, -0.5))  # expect: NAN306 unsafe
    return d_inv_sqrt @ adj @ d_inv_sqrt
