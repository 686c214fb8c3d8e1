# breaks: value(masked_softmax, [[100.0, 1.0]], [[False, True]])
import torch


def masked_softmax(x, padded):
    e = torch.exp(x).masked_fill(padded, 0.0)
    return e / e.sum(-1, keepdim=True)  # expect: NAN103 no-fix
