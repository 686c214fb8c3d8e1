# holds: value(gini, [[-1.0, -2.0]])
# holds: value(of_shares, [[-1.0, -2.0]])
import torch


def gini(x):
    ordered, _ = torch.sort(torch.relu(x), dim=-1)
    n = ordered.shape[-1]
    ranks = torch.arange(1, n + 1, dtype=ordered.dtype)
    return ((2 * ranks - n - 1) * ordered).sum(-1) / (n * ordered.sum(-1)).clamp(min=1e-6)


def of_shares(x):
    ordered, _ = torch.sort(torch.softmax(x, dim=-1), dim=-1)
    n = ordered.shape[-1]
    ranks = torch.arange(1, n + 1, dtype=ordered.dtype)
    return ((2 * ranks - n - 1) * ordered).sum(-1) / (n * ordered.sum(-1))
