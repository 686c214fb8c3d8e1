# holds: value(quotient, [1.0, 2.0], [-1.0, 4.0])
import torch


def quotient(y, x):
    tolerance = 1e-6 if x.dtype == torch.float32 else 1e-12
    root = torch.sqrt(x.detach().clamp(min=0))
    is_large = ~(root.abs() < tolerance)
    result = torch.zeros_like(root)
    result[is_large] = y[is_large] / (4 * root[is_large])
    return result
