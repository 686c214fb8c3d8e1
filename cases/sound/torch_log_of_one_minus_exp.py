# holds: value(of_softplus, [-20.0]), value(of_exponential, [-20.0]), gradient(of_exponential, [-20.0])
# holds: gradient(in_two_branches, [-1e-8]), gradient(in_two_branches, [-200.0]), value(bounded, [-20.0])
import torch
import torch.nn.functional as F


def of_softplus(x):
    return torch.log(-torch.expm1(-F.softplus(x))).mean()


def of_exponential(x):
    return torch.log(-torch.expm1(-torch.exp(x))).mean()


def in_two_branches(x):
    is_near = x > -0.69
    near, far = torch.where(is_near, x, -1.0), torch.where(is_near, -1.0, x)
    return torch.where(is_near, torch.log(-torch.expm1(near)), torch.log1p(-torch.exp(far))).mean()


def bounded(x):
    return torch.log(1 - torch.exp(-F.softplus(x) - 1e-3)).mean()
