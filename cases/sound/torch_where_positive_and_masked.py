# holds: gradient(lambda v: log_weight(v, KEPT), [1.0, 2.0])
import torch

KEPT = torch.tensor([False, True])


def log_weight(value, kept):
    value = value.clamp(min=1e-6)
    return torch.where((value > 0) & kept, torch.log(value), torch.zeros_like(value))
