# breaks: gradient(length, [[0.0, 0.0]], [[0.0, 0.0]])
import numpy as np
import torch


def length(x, y):
    if isinstance(x, torch.Tensor):
        return ((x - y) ** 2).sum(-1) ** 0.5  # expect: NAN203 unsafe
    return np.linalg.norm(x - y, axis=-1)
