# holds: value(lambda z: balanced(z, torch.zeros(2)), [0.0, 1.0])
# holds: value(lambda z: by_both_classes(z, torch.zeros(2)), [0.0, 1.0])
# holds: value(lambda z: where_positive(z, torch.zeros(2)), [0.0, 1.0])
import torch
import torch.nn.functional as F
from torch import nn


def balanced(logits, labels):
    weight = labels.numel() / labels.sum().clamp(min=1)
    losses = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
    return (losses * (1 + (weight - 1) * labels)).mean()


def by_both_classes(logits, labels):
    weight = (1 - labels).sum() / (labels.sum() + 1)
    return F.binary_cross_entropy_with_logits(logits, labels, pos_weight=weight)


def where_positive(logits, labels):
    # Where a label is positive, there is one.
    weight = torch.where(labels == 1, (1 - labels).sum() / labels.sum(), torch.ones_like(labels))
    return F.binary_cross_entropy_with_logits(logits, labels, weight=weight)


def train(batches):
    net = nn.Linear(8, 1)
    optimizer = torch.optim.Adam(net.parameters())
    for x, labels in batches:
        loss = balanced(net(x), labels) + by_both_classes(net(x), labels)
        loss = loss + where_positive(net(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
