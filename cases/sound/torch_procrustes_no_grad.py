# holds: value(align, [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
import torch


@torch.no_grad()
def align(a, b):
    u, _, vt = torch.linalg.svd(a.t() @ b)
    return u @ vt
