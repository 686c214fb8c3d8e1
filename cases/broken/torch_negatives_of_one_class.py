# breaks: value(loss, [[0.3, 0.2], [0.1, 0.4]])
import torch


def decoupled_contrastive(similarities, labels):
    same = labels[:, None] == labels[None, :]
    negatives = similarities.masked_fill(same, float("-inf"))
    top = similarities.detach().max(dim=1, keepdim=True).values
    return torch.exp(negatives - top).sum(dim=1).log().mean()  # expect: NAN201 unsafe


def loss(similarities):
    return decoupled_contrastive(similarities, torch.tensor([1, 1]))
