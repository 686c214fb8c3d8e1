# holds: value(length, [[0.0, 0.0]])
import numpy as np
import torch


def length(x):
    if isinstance(x, np.ndarray):
        return (x**2).sum(-1) ** 0.5
    return x.norm(dim=-1)
