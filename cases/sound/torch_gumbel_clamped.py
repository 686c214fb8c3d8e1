# holds: value(lambda x: gumbel(x.size()), [0.0, 0.0, 0.0])
import torch


def gumbel(shape, eps=1e-20):
    u = torch.rand(shape)
    return -torch.log(-torch.log(u + eps) + eps)


def gumbel_exponential(logits):
    return -torch.empty_like(logits).exponential_().add(1e-10).log()
