# holds: value(lambda x: bases(x), [[[0.0]]])
import torch


def bases(x):
    first = torch.cat([torch.zeros_like(x), torch.ones_like(x)], dim=1)
    return first / torch.linalg.vector_norm(first, dim=(1, 2), keepdim=True)
