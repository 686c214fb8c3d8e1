"""A weighted sum of two shares is 0 only where both are, which a test of their plain sum excludes."""

# holds: value(lambda x, y: fbeta(x > 0, y > 0), [1.0, 0.0], [0.0, 1.0])
# holds: value(lambda x, y: fbeta_returned(x > 0, y > 0), [1.0, 0.0], [0.0, 1.0])
import torch


def counts(predicted, target):
    correct = predicted == target
    hits = torch.logical_and(correct, target).sum()
    false = torch.logical_and(~correct, ~target).sum()
    missed = torch.logical_and(~correct, target).sum()
    return hits, false, missed


def fbeta(predicted, target, beta=2.0):
    hits, false, missed = counts(predicted, target)
    precision = hits / (hits + false + 1e-6)
    recall = hits / (hits + missed + 1e-6)
    square = beta * beta
    if precision + recall > 0:
        return (1 + square) * precision * recall / (square * precision + recall)
    return torch.zeros(())


def fbeta_returned(predicted, target, beta=2.0):
    hits, false, missed = counts(predicted, target)
    precision = hits / (hits + false + 1e-6)
    recall = hits / (hits + missed + 1e-6)
    if precision + recall == 0:
        return torch.zeros(())
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
