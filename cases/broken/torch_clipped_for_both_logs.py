# breaks: gradient(lambda p: entropy(p, torch.ones(2)), [0.0, 1.0])
import torch


def entropy(p, y):
    bounded = torch.clamp(p, 1e-8, 1 - 1e-8)  # expect: NAN501 unsafe
    return -(y * torch.log(bounded) + (1 - y) * torch.log(1 - bounded)).sum()
