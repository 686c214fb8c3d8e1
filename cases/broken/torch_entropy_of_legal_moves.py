# breaks: value(lambda s: entropy(s, MOVES), [[1.0, 2.0, 3.0]])
# breaks: value(lambda s: by_log_mask(s, MOVES), [[1.0, 2.0, 3.0]])
# breaks: value(lambda s: by_log_probabilities(s, MOVES), [[1.0, 2.0, 3.0]])
# breaks: gradient(lambda s: entropy(s, MOVES), [[1.0, 2.0, 3.0]])
# breaks: gradient(lambda s: by_log_probabilities(s, MOVES), [[1.0, 2.0, 3.0]])
import torch
import torch.nn.functional as F

MOVES = torch.tensor([True, False, True])


def entropy(scores, legal):
    scores = scores.masked_fill(~legal, float("-inf"))
    p = F.softmax(scores, dim=-1)
    return -(p * torch.log(p)).sum()  # expect: NAN101


def by_log_mask(scores, legal):
    scores = scores + legal.float().log()
    p = F.softmax(scores, dim=-1)
    return -(p * torch.log(p)).sum()  # expect: NAN101


def by_log_probabilities(scores, legal):
    scores = torch.where(legal, scores, -torch.inf)
    log_p = F.log_softmax(scores, dim=-1)
    return -(log_p.exp() * log_p).sum()  # expect: NAN202
