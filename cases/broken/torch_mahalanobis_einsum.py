# breaks: gradient(lambda x: distance(x, torch.ones(2), torch.eye(2)), [[1.0, 1.0]])
import torch


def distance(x, mean, precision):
    d = x - mean
    return torch.sqrt(torch.einsum("bi,ij,bj->b", d, precision, d)).mean()  # expect: NAN203 unsafe
