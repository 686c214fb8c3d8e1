"""What nothing reads: overwritten before it is used, or part of a loss that was left out."""

# holds: value(repaired, [[200.0, -200.0]])
# holds: value(left_out, [[200.0, -200.0]])
import torch


def repaired(scores):
    probabilities = torch.softmax(scores, -1)
    logs = torch.log(probabilities)
    missing = (probabilities == 0).float() * 1e-8
    logs = torch.log(probabilities + missing)
    return logs


def left_out(scores):
    probabilities = torch.softmax(scores, -1)
    logs = torch.log(probabilities)
    entropy = -(probabilities * logs).sum(-1)
    penalty = 0.01 * entropy.mean()  # loss = error + penalty
    error = (scores - 1).square().mean()
    loss = error
    return loss
