# breaks: value(softmax, [[100.0, 0.0]])
import numpy as np
import torch


def softmax(x):
    if not isinstance(x, torch.Tensor):
        x = np.asarray(x)
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)
    e = x.exp()
    return e / e.sum(-1, keepdim=True)  # expect: NAN103
