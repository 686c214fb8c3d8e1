import torch


def sample_gumbel(shape):
    u = torch.rand(shape)
    return -torch.log(-torch.log(u))  # expect: NAN211


def gumbel_softmax(logits, tau=1.0):
    y = logits + sample_gumbel(logits.size())
    return torch.softmax(y / tau, dim=-1)
