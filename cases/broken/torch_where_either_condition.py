# breaks: gradient(lambda v: log_weight(v, FORCED), [0.0, 2.0])
import torch

FORCED = torch.tensor([False, True])


def log_weight(value, forced):
    return torch.where((value > 0) | forced, torch.log(value), torch.zeros_like(value))  # expect: NAN401
