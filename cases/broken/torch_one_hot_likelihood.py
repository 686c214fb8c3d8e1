# breaks: value(nll, [[0.0, 200.0]], [0])
# breaks: value(nll_scattered, [[0.0, 200.0]], [0])
# breaks: value(nll_written, [[0.0, 200.0]], [0])
import torch
import torch.nn.functional as F


def nll(logits, y):
    p = F.softmax(logits, dim=1)
    return -torch.log((p * F.one_hot(y.long(), 2)).sum(1)).mean()  # expect: NAN201 unsafe


def nll_scattered(logits, y):
    p = F.softmax(logits, dim=1)
    target = torch.zeros_like(p)
    target.scatter_(1, y.long().unsqueeze(1), 1)
    return -torch.log(torch.sum(p * target, dim=1)).mean()  # expect: NAN201 unsafe


def nll_written(logits, y):
    p = F.softmax(logits, dim=1)
    target = torch.zeros(p.shape)
    target[torch.arange(len(y)), y.long()] = 1.0
    return -(p * target).sum(1).log().mean()  # expect: NAN201 unsafe
