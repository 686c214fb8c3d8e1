# breaks: value(log_of_share, [-1.0, 0.5], [-2.0])
import torch


def log_of_share(x, limit):
    # Where the upper bound is 0, it counts, which PyTorch applies last.
    return torch.log(torch.clamp(x, torch.tensor(1e-6), torch.relu(limit)))  # expect: NAN201 possible
