# breaks: value(unconstrained, [[100.0, 1.0]])
import torch


def inverse_softplus(x):
    return torch.log(torch.expm1(x))  # expect: NAN105 unsafe


def unconstrained(scales):
    return inverse_softplus(scales)
