# holds: gradient(rays, [[0.0, 1.0]])
# holds: value(normals, [[0.0, 1.0]])
import torch


def rays(x):
    d = torch.stack([x / 500.0, -x / 500.0, torch.ones_like(x)], -1)
    return d / torch.norm(d, dim=-1, keepdim=True)


def normals(slope):
    n = torch.stack([-slope, slope, torch.ones_like(slope)], dim=-1)
    return n / torch.sqrt(torch.sum(n**2, dim=-1, keepdim=True))
