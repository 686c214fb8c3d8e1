# holds: value(lambda z: with_itself(z, torch.tensor([0, 1])), [[0.0, 1.0], [1.0, 0.0]])
# holds: value(lambda z: with_one_at_least(z, torch.tensor([0, 1])), [[0.0, 1.0], [1.0, 0.0]])
import torch


def with_itself(logarithms, labels):
    positive = (labels[:, None] == labels[None]).float()
    positive.fill_diagonal_(1)
    return -((positive * logarithms).sum(1) / positive.sum(1)).mean()


def with_one_at_least(logarithms, labels):
    positive = (labels[:, None] == labels[None]).float()
    positive.fill_diagonal_(0)
    return -((positive * logarithms).sum(1) / positive.sum(1).clamp(min=1)).mean()
