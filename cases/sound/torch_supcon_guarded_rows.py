# holds: value(sup_con, [[1.0, 0.0], [0.0, 1.0]], [0, 1])
import torch


def sup_con(features, labels):
    n = features.size(0)
    logits = features @ features.t() / 0.1
    logits = logits - logits.max(dim=1, keepdim=True).values.detach()
    mask = (labels.view(-1, 1) == labels.view(1, -1)).float() - torch.eye(n)
    log_prob = logits - torch.log(torch.exp(logits).sum(1, keepdim=True))
    pairs = mask.sum(1)
    pairs = torch.where(pairs < 1e-6, torch.ones_like(pairs), pairs)
    return -((mask * log_prob).sum(1) / pairs).mean()
