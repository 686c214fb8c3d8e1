# breaks: value(loss, [[100.0]], [[1.0]])
import torch


def loss(x, z):
    return torch.mean(-x * z + torch.log(1 + torch.exp(x)))  # expect: NAN108
