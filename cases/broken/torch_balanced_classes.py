# breaks: balanced(torch.tensor([0, 1, 0]), 3), balanced_by_share(torch.tensor([0, 1, 0]), 3)
import torch


def histogram(labels, n_classes):
    counts = torch.zeros(n_classes)
    counts.index_put_((labels,), torch.ones(labels.numel()), accumulate=True)
    return counts


def balanced(labels, n_classes):
    counts = histogram(labels, n_classes)
    return labels.numel() / (n_classes * counts)  # expect: NAN306 unsafe


def balanced_by_share(labels, n_classes):
    share = torch.bincount(labels, minlength=n_classes) / labels.numel()
    return 1.0 / (2.0 * share)  # expect: NAN306 unsafe
