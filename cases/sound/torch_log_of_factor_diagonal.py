# holds: gradient(total, [[2.0, 0.5], [0.5, 1.0]])
import torch


def total(covariance):
    factor = torch.linalg.cholesky(covariance)
    diagonal = factor[..., range(2), range(2)]
    logs = torch.where(diagonal > 1e-7, torch.log(diagonal), torch.zeros_like(diagonal))
    return torch.sum(logs)
