# holds: gradient(pairwise_distances, [[1.0, 2.0], [1.0, 2.0]])
import torch


def pairwise_distances(x):
    dot = torch.matmul(x, x.t())
    sq = torch.diagonal(dot)
    d2 = (sq.unsqueeze(0) - 2.0 * dot + sq.unsqueeze(1)).clamp(min=0)
    zero = (d2 == 0.0).float()
    d2 = d2 + zero * 1e-16
    return (1.0 - zero) * torch.sqrt(d2)
