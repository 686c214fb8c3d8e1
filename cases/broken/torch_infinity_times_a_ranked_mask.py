# breaks: value(greedy, [[1.0, 2.0]], [[0.0, -5.0]])
import numpy as np
import torch


def greedy(values, scores):
    ratio = scores - scores.max(dim=-1, keepdim=True).values
    mask = (ratio < -1.0).float()
    return values - np.inf * mask  # expect: NAN404 no-fix
