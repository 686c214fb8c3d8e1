# holds: value(loss_of_labelled, [0.3, -0.2], [-100, -100]), gradient(loss_of_labelled, [0.3, -0.2], [-100, -100])
import torch


def masked_loss(scores, labels, ignored=None):
    if ignored is not None:
        count = (labels != ignored).float().sum().clamp(min=1.0)
    else:
        count = (labels == labels).float().sum()
    loss = (scores - 1) ** 2
    if ignored is not None:
        loss = (loss * (labels != ignored)).sum() / count
    return loss.sum()


def loss_of_labelled(scores, labels):
    return masked_loss(scores, labels, -100)
