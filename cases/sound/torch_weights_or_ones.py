# holds: mean(torch.ones(2, 3), torch.zeros(2, 3)), mean(torch.ones(1, 2), torch.tensor([[0.0, 2.0]]))
import torch


def mean(x, weights):
    weights = torch.where(weights < 0, 0.0, weights)
    total = weights.sum(1, keepdim=True)
    kept = torch.where(total > 0, weights, torch.ones_like(weights))
    return (x * kept).sum(1, keepdim=True) / kept.sum(1, keepdim=True)
