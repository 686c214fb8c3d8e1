# holds: value(token_loss, [[[0.0, 1.0]]], [[0]])
import torch
import torch.nn.functional as F


def token_loss(logits, targets, pad=0):
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    keep = (targets != pad).float()
    count = max(int(keep.sum().item()), 1)
    return (losses * keep).sum() / count
