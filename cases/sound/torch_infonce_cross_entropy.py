# holds: gradient(info_nce, [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
import torch
import torch.nn.functional as F


def info_nce(q, k, temperature=0.005):
    q, k = F.normalize(q, dim=1), F.normalize(k, dim=1)
    logits = q @ k.t() / temperature
    return F.cross_entropy(logits, torch.arange(len(q)))
