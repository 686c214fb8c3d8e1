# breaks: value(sup_con, [[1.0, 0.0], [0.0, 1.0]], [0, 1])
import torch


def sup_con(features, labels):
    n = features.size(0)
    logits = features @ features.t() / 0.1
    mask = (labels.view(-1, 1) == labels.view(1, -1)).float()
    mask = mask - torch.eye(n)
    log_prob = torch.log_softmax(logits, dim=1)
    mean_log_prob = (mask * log_prob).sum(1) / mask.sum(1)  # expect: NAN301
    return -mean_log_prob.mean()
