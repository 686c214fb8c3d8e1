# holds: gradient(lambda q: quantile_huber(q, torch.zeros(1, 2)), [[0.0, 1.0]])
import torch


def quantile_huber(quantiles, target, kappa=1.0):
    n = quantiles.shape[1]
    tau = (torch.arange(n).float() + 0.5) / n
    u = target.unsqueeze(1) - quantiles.unsqueeze(2)
    huber = torch.where(u.abs() <= kappa, 0.5 * u.pow(2), kappa * (u.abs() - 0.5 * kappa))
    weight = (tau.view(1, -1, 1) - (u.detach() < 0).float()).abs()
    return (weight * huber / kappa).sum(1).mean()
