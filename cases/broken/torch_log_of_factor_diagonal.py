# breaks: gradient(total, [[0.0, 0.5], [0.5, 1.0]])
import torch


def total(covariance):
    diagonal = covariance[..., range(2), range(2)]
    logs = torch.where(diagonal > 1e-7, torch.log(diagonal), torch.zeros_like(diagonal))  # expect: NAN401
    return torch.sum(logs)
