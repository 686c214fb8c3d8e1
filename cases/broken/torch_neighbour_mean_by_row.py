# breaks: value(lambda a: gather(torch.ones(2, 3), a), [[0.0, 1.0], [0.0, 0.0]])
import torch


def gather(h, adjacency):
    degree = adjacency.sum(-1, keepdim=True)
    return torch.matmul(adjacency, h) / degree  # expect: NAN306 unsafe
