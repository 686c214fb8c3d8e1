# holds: value(deviation, [0.0, 10.0, 20.0], [0.0, 10.0, 20.0])
import torch


def kernel(a, b):
    return 0.9 * torch.exp(-0.5 * (a[:, None] - b[None, :]).pow(2))


def deviation(x, new, noise=1e-9):
    factor = torch.linalg.cholesky(kernel(x, x) + noise * torch.eye(len(x)))
    between = kernel(x, new)
    explained = (between * torch.cholesky_solve(between, factor)).sum(0)
    return torch.sqrt((0.9 - explained).clamp(min=1e-12))
