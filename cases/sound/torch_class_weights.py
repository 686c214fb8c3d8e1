# holds: inverse_frequency(torch.tensor([0, 0, 2]), 3), value(one_hot_mean, [[1.0], [2.0]])
import torch


def inverse_frequency(labels, n_classes):
    counts = torch.bincount(labels, minlength=n_classes).float()
    weights = 1.0 / (counts + 1)
    return weights / weights.sum()


def one_hot_mean(x):
    weights = torch.ones(x.shape[0])
    return (weights @ x) / weights.sum()
