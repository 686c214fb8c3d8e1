# breaks: gradient(deviation_of_rows, [[2.0], [2.0], [2.0]])
import torch


def deviation_of_rows(x):
    return torch.sqrt(((x - x.mean(dim=0)) ** 2).sum(dim=0) / (x.shape[0] - 1))  # expect: NAN203 safe
