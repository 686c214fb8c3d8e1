# holds: value(lambda s: entropy(s, MOVES), [[1.0, 2.0, 3.0]])
# holds: gradient(lambda s: entropy(s, MOVES), [[1.0, 2.0, 3.0]])
# holds: gradient(lambda s: by_log_probabilities(s, MOVES), [[1.0, 2.0, 3.0]])
import torch
import torch.nn.functional as F

MOVES = torch.tensor([True, False, True])


def entropy(scores, legal):
    scores = scores.masked_fill(~legal, float("-inf"))
    p = F.softmax(scores, dim=-1)
    return -(p * torch.log(torch.where(p > 0, p, 1))).sum()


def by_log_probabilities(scores, legal):
    scores = torch.where(legal, scores, -torch.inf)
    log_p = F.log_softmax(scores, dim=-1).masked_fill(~legal, 0.0)
    return -(F.softmax(scores, dim=-1) * log_p).sum()
