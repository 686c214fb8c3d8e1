# breaks: value(censored, [[0.0, 1.0, 2.0]], [2.0])
import torch


def censored(scores, times):
    share = torch.softmax(scores, dim=-1)
    at = times.long().unsqueeze(-1)
    return -torch.log(1 - share.cumsum(-1).gather(1, at)).mean()  # expect: NAN201 unsafe
