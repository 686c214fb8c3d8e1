# holds: gradient(contrastive, [[1.0, 2.0]], [[1.0, 2.0]], [1.0])
import torch


def contrastive(a, b, same, margin=1.0, eps=1e-9):
    d2 = (a - b).pow(2).sum(1)
    pull = same * d2
    push = (1 - same) * torch.relu(margin - (d2 + eps).sqrt()).pow(2)
    return (pull + push).mean()
