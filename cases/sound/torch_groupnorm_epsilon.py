# holds: gradient(group_norm, [[[[1.0]], [[1.0]]]])
import torch


def group_norm(x, groups=1, eps=1e-5):
    n, c, h, w = x.shape
    x = x.view(n, groups, -1)
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    x = (x - mean) / torch.sqrt(var + eps)
    return x.view(n, c, h, w)
