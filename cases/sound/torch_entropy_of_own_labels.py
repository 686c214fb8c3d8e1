# holds: value(entropy, [0.0, 2.0, 2.0])
# holds: value(entropy_of_list, [0.0, 2.0, 2.0])
import torch


def entropy(labels):
    total = 0.0
    for label in torch.unique(labels):
        share = (labels == label).float().mean()
        total = total - share * torch.log2(share)
    return total


def entropy_of_list(labels):
    total = 0.0
    for label in labels.unique().tolist():
        share = (labels == label).sum() / len(labels)
        total -= share * torch.log(share)
    return total
