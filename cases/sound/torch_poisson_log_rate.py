# holds: gradient(lambda x: poisson_nll(x, torch.ones(1)), [-100.0])
import torch


def poisson_nll(log_rate, counts):
    return (torch.exp(log_rate.clamp(max=20.0)) - counts * log_rate).mean()
