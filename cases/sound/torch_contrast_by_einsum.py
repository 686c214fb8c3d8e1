# holds: value(contrast, [[100.0, 0.0]], [[100.0, 0.0]])
# holds: value(against_queue, [[100.0, 0.0]], [[100.0, 0.0]], [[100.0], [0.0]])
# holds: value(by_hand, [[100.0, 0.0]], [[100.0, 0.0]])
# holds: value(of_tokens, [[[100.0, 0.0]]], [[[100.0, 0.0]]])
import torch
import torch.nn.functional as F


def contrast(x, y, temperature=0.02):
    x, y = F.normalize(x, dim=-1), F.normalize(y, dim=-1)
    scores = torch.exp(torch.einsum("id,jd->ij", x, y) / temperature)
    return scores / scores.sum(-1, keepdim=True)


def against_queue(x, y, queue, temperature=0.02):
    x, y, queue = F.normalize(x, dim=1), F.normalize(y, dim=1), F.normalize(queue, dim=0)
    positive = torch.exp(torch.einsum("nc,nc->n", [x, y]) / temperature)
    negative = torch.exp(torch.einsum("nc,ck->nk", [x, queue]) / temperature)
    return positive / (positive + negative.sum(1))


def by_hand(x, y, temperature=0.02):
    x = x / x.norm(dim=-1, keepdim=True)
    y = y / torch.sqrt((y**2).sum(-1, keepdim=True) + 1e-6)
    scores = torch.exp(torch.einsum("id,jd->ij", x, y) / temperature)
    return scores / scores.sum(-1, keepdim=True)


def of_tokens(x, y, temperature=0.02):
    x, y = F.normalize(x, dim=-1), F.normalize(y, dim=-1)
    scores = torch.exp(torch.einsum("...id,...jd->...ij", x, y) / temperature)
    return scores / scores.sum(-1, keepdim=True)
