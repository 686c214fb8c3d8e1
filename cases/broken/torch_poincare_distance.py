# breaks: gradient(lambda u: poincare(u, u), [[0.1, 0.2]])
import torch


def poincare(u, v):
    num = (u - v).pow(2).sum(-1)
    den = (1 - u.pow(2).sum(-1)) * (1 - v.pow(2).sum(-1))
    return torch.acosh(1 + 2 * num / den)  # expect: NAN209 unsafe
