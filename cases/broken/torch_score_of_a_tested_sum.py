"""A test of another sum, or one that 0 passes, excludes no 0."""

# breaks: value(lambda x, y: of_one(x > 0, y > 0), [1.0, 0.0], [0.0, 1.0])
# breaks: value(lambda x, y: at_zero(x > 0, y > 0), [1.0, 0.0], [0.0, 1.0])
import torch


def counts(predicted, target):
    correct = predicted == target
    hits = torch.logical_and(correct, target).sum()
    false = torch.logical_and(~correct, ~target).sum()
    missed = torch.logical_and(~correct, target).sum()
    return hits, false, missed


def of_one(predicted, target, beta=2.0):
    hits, false, missed = counts(predicted, target)
    precision = hits / (hits + false + 1e-6)
    recall = hits / (hits + missed + 1e-6)
    square = beta * beta
    if precision + missed > 0:
        return (1 + square) * precision * recall / (square * precision + recall)  # expect: NAN309 no-fix
    return torch.zeros(())


def at_zero(predicted, target, beta=2.0):
    hits, false, missed = counts(predicted, target)
    precision = hits / (hits + false + 1e-6)
    recall = hits / (hits + missed + 1e-6)
    if precision + recall >= 0:
        return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)  # expect: NAN309 no-fix
    return torch.zeros(())
