# breaks: gradient(hellinger, [[200.0, 0.0]], [[200.0, 0.0]])
import torch
import torch.nn.functional as F


def hellinger(a, b):
    p, q = F.softmax(a, -1), F.softmax(b, -1)
    gap = torch.sqrt(p) - torch.sqrt(q)  # expect: NAN203 possible; NAN203 possible
    return gap.pow(2).sum(-1).mean()
