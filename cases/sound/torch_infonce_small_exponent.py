# holds: gradient(nt_xent, [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
# A cosine at temperature 0.5 is at most 2 under exp.
import torch
import torch.nn.functional as F


def nt_xent(a, b):
    a, b = F.normalize(a, dim=1), F.normalize(b, dim=1)
    positive = torch.exp(torch.sum(a * b, dim=-1) / 0.5)
    everything = torch.exp(torch.mm(a, b.t()) / 0.5).sum(dim=1)
    return -torch.log(positive / everything).mean()
