"""What nothing reads: overwritten before it is used, or part of a loss that was left out."""

# breaks: value(first, [[200.0, -200.0]])
# holds: value(repaired, [[200.0, -200.0]])
# holds: value(left_out, [[200.0, -200.0]])
import torch


def first(scores):
    return torch.log(torch.softmax(scores, -1))  # expect: NAN101 safe


def repaired(scores):
    probabilities = torch.softmax(scores, -1)
    logs = torch.log(probabilities)  # expect: NAN101 possible
    # the line above gives -inf for what underflows
    missing = (probabilities == 0).float() * 1e-8
    logs = torch.log(probabilities + missing)
    return logs


def left_out(scores):
    probabilities = torch.softmax(scores, -1)
    logs = torch.log(probabilities)  # expect: NAN101 possible
    entropy = -(probabilities * logs).sum(-1)
    penalty = 0.01 * entropy.mean()  # loss = error + penalty
    error = (scores - 1).square().mean()
    loss = error
    return loss
