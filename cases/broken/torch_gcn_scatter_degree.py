# breaks: value(degrees, [[0], [1]])
import torch


def degrees(edge_index, num_nodes=3):
    row, col = edge_index
    deg = torch.zeros(num_nodes)
    deg.scatter_add_(0, row, torch.ones(row.size(0)))
    deg_inv_sqrt = deg.pow(-0.5)  # expect: NAN306 unsafe
    return deg_inv_sqrt[row] * deg_inv_sqrt[col]
