# holds: value(censored, [[0.0, 1.0, 2.0]], [2.0])
# holds: value(of_all, [[0.0, 1.0, 2.0]])
import torch


def censored(scores, times):
    share = torch.softmax(scores, dim=-1)
    at = times.long().unsqueeze(-1)
    return -torch.log((1 - share.cumsum(-1).gather(1, at)).clamp(min=1e-6)).mean()


def of_all(scores):
    """The share of this and all later ones is above 0 with an epsilon."""
    share = torch.softmax(scores, dim=-1)
    return torch.log(1.01 + 1e-3 - share.cumsum(-1)).sum()
