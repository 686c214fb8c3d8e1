# breaks: value(of_softplus, [-20.0]), value(of_exponential, [-20.0]), value(of_log_probability, [-1e-9])
# breaks: gradient(in_two_branches, [-1e-8])
import torch
import torch.nn.functional as F


def of_softplus(x):
    return torch.log(1 - torch.exp(-F.softplus(x))).mean()  # expect: NAN122 unsafe


def of_exponential(x):
    return torch.log(1 - torch.exp(-torch.exp(x))).mean()  # expect: NAN122 unsafe


def of_log_probability(x):
    return torch.log1p(-torch.exp(x)).mean()  # expect: NAN122 unsafe


def in_two_branches(x):
    return torch.where(x > -0.69, torch.log(-torch.expm1(x)), torch.log1p(-torch.exp(x))).mean()  # expect: NAN401
