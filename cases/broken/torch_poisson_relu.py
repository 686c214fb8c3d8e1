# breaks: value(lambda x: poisson_nll(x, torch.ones(1)), [-1.0])
import torch
import torch.nn.functional as F


def poisson_nll(x, counts):
    rate = F.relu(x)
    return (rate - counts * torch.log(rate)).mean()  # expect: NAN202 unsafe
