# holds: gradient(safe_log, [0.0, 1.0])
import torch


def safe_log(x):
    ok = x > 0
    return torch.where(ok, torch.log(torch.where(ok, x, torch.ones_like(x))), 0.0)
