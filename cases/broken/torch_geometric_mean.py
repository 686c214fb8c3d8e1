# breaks: gradient(geometric_mean, [[0.0, 1.0]])
import torch


def geometric_mean(x):
    return torch.exp(torch.log(torch.clamp(x, min=0.0)).mean())  # expect: NAN201 unsafe
