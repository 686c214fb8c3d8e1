# holds: value(lambda x: by_function(torch.sin(torch.arange(320.0)).reshape(40, 8) * x), 3.0)
# holds: value(lambda x: floored(torch.sin(torch.arange(320.0)).reshape(40, 8) * x), 3.0)
# holds: value(lambda x: smoothed(torch.sin(torch.arange(320.0)).reshape(40, 8) * x), 3.0)
# holds: value(lambda x: of_pairs(torch.sin(torch.arange(320.0)).reshape(40, 8) * x), 3.0)
import torch


def by_function(x):
    return torch.cdist(x, x)


def floored(x):
    lengths = (x**2).sum(1, keepdim=True)
    return (lengths + lengths.t() - 2 * x @ x.t()).clamp(min=1e-6).sqrt()


def smoothed(x):
    lengths = torch.sum(x * x, dim=-1)
    squared = lengths[:, None] - 2.0 * torch.matmul(x, x.T) + lengths[None, :]
    return torch.sqrt(squared + 1e-3)


def of_pairs(x):
    lengths = (x**2).sum(1)
    i, j = torch.triu_indices(len(x), len(x), 1)
    return torch.sqrt((lengths[:, None] + lengths - 2 * x @ x.T)[i, j])
