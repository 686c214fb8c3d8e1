# holds: value(lambda x: shares(x, torch.zeros((1, 2), dtype=torch.long), 3), [[1.0, 2.0]])
import torch


def shares(values, bins, count):
    found = values.new_zeros((values.shape[0], count)).scatter_add(1, bins, torch.ones_like(values))
    return found / found.sum(dim=1, keepdim=True)
