# holds: gradient(lambda u: poincare(u, u), [[0.1, 0.2]])
import torch

EPS = 1e-5


def poincare(u, v):
    num = (u - v).pow(2).sum(-1)
    alpha = (1 - u.pow(2).sum(-1)).clamp(min=EPS)
    beta = (1 - v.pow(2).sum(-1)).clamp(min=EPS)
    return torch.acosh((1 + 2 * num / (alpha * beta)).clamp(min=1 + EPS))
