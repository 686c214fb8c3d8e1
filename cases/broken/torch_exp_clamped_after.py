# breaks: gradient(rate, [200.0])
import torch


def rate(x):
    return torch.clamp(torch.exp(x), max=1e4)  # expect: NAN405
