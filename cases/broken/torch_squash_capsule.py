# breaks: value(squash, [[0.0, 0.0]])
import torch


def squash(s):
    norm_sq = (s ** 2).sum(-1, keepdim=True)
    norm = torch.sqrt(norm_sq)  # expect: NAN203
    return norm_sq / (1 + norm_sq) * s / norm  # expect: NAN303 possible
