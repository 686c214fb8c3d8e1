# breaks: value(attend, [[1.0, 2.0]], [[False, False]])
import torch


def attend(scores, mask):
    scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, dim=-1)  # expect: NAN403 possible
