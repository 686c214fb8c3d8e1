# breaks: gradient(positive, [100.0, -3.0])
import torch


def positive(raw):
    """Map the raw network output to a positive rate."""
    return torch.log(1 + torch.exp(raw))  # expect: NAN105


def poisson_nll(raw, counts):
    rate = positive(raw) + 1e-4
    return (rate - counts * torch.log(rate)).mean()
