# holds: value(loss, [[0.3, 0.2], [0.1, 0.4]])
import torch


def supervised_contrastive(similarities, labels):
    same = labels[:, None] == labels[None, :]
    positives = similarities.masked_fill(~same, float("-inf"))
    top = similarities.detach().max(dim=1, keepdim=True).values
    return torch.exp(positives - top).sum(dim=1).log().mean()


def loss(similarities):
    return supervised_contrastive(similarities, torch.tensor([1, 1]))
