# holds: gradient(layer_norm, [[1.0, 1.0, 1.0]])
import torch


def layer_norm(x, eps=1e-5):
    mu = x.mean(dim=-1, keepdim=True)
    sigma = (((x - mu) ** 2).mean(dim=-1, keepdim=True) + eps).sqrt()
    return (x - mu) / sigma
