# breaks: gradient(lambda z: neighbours(z, torch.zeros(2, 2)), [[0.5, 1.0], [2.0, 0.0]])
# breaks: gradient(lambda z: shares(z, torch.full((2, 2), 500.0)), [[100.0, 2.0], [0.5, 1e-3]])
import torch


def neighbours(x, adjacency):
    mask = (adjacency > 0) & ~torch.eye(len(adjacency), dtype=torch.bool)
    mask = mask.float()
    return (mask @ x) / mask.sum(-1, keepdim=True)  # expect: NAN301


def shares(a, b):
    e = torch.exp(torch.xlogy(a, (a + b) / a) - torch.log(a))
    return e / e.sum(-1, keepdim=True)  # expect: NAN103
