# holds: value(normalise_adjacency, [[0.0, 0.0], [0.0, 1.0]])
import torch


def normalise_adjacency(adj):
    adj = (adj > 0).float() + torch.eye(adj.size(0))
    d = adj.sum(1).pow(-0.5)
    return torch.diag(d) @ adj @ torch.diag(d)
