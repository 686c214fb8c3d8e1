# holds: balanced(torch.tensor([0, 1, 0]), 3), of_present(torch.tensor([0, 2, 0])), of_each(torch.tensor([0, 2, 0]), 3)
import torch


def histogram(labels, n_classes):
    counts = torch.zeros(n_classes)
    counts.index_put_((labels,), torch.ones(labels.numel()), accumulate=True)
    return counts


def balanced(labels, n_classes):
    counts = histogram(labels, n_classes).clamp(min=1)
    return labels.numel() / (n_classes * counts)


def of_present(labels):
    _, counts = torch.unique(labels, return_counts=True)
    return labels.numel() / (len(counts) * counts)


def of_each(labels, n_classes):
    counts = torch.bincount(labels, minlength=n_classes)
    weights = labels.numel() / (n_classes * counts)
    return weights[labels]
