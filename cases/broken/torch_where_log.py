# breaks: gradient(safe_log, [0.0, 1.0])
import torch


def safe_log(x):
    return torch.where(x > 0, torch.log(x), torch.zeros_like(x))  # expect: NAN401
