# breaks: value(lambda z: diagonal_filled(z, torch.tensor([0, 1])), [[0.0, 1.0], [1.0, 0.0]])
# breaks: value(lambda z: diagonal_masked(z, torch.tensor([0, 1])), [[0.0, 1.0], [1.0, 0.0]])
# breaks: value(lambda z: diagonal_scattered(z, torch.tensor([0, 1])), [[0.0, 1.0], [1.0, 0.0]])
import torch


def diagonal_filled(logarithms, labels):
    positive = (labels[:, None] == labels[None]).float()
    positive.fill_diagonal_(0)
    return -((positive * logarithms).sum(1) / positive.sum(1)).mean()  # expect: NAN301


def diagonal_masked(logarithms, labels):
    positive = labels[:, None] == labels[None]
    positive = positive.masked_fill(torch.eye(len(labels), dtype=torch.bool), 0)
    return -((positive * logarithms).sum(1) / positive.sum(1)).mean()  # expect: NAN301


def diagonal_scattered(logarithms, labels):
    positive = torch.eq(labels.view(-1, 1), labels.view(1, -1)).float()
    itself = torch.arange(len(labels)).view(-1, 1)
    others = torch.scatter(torch.ones_like(positive), 1, itself, 0)
    positive = positive * others
    return -((positive * logarithms).sum(1) / positive.sum(1)).mean()  # expect: NAN301
