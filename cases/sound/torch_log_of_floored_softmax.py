# holds: gradient(entropy, [[200.0, 0.0]])
import torch


def entropy(logits):
    p = torch.softmax(logits, dim=-1)
    return -(p * torch.log(p + 1e-6)).sum(-1).mean()
