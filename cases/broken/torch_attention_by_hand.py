# breaks: value(attention, [[100.0]], [[1.0], [1.0]], [[1.0], [2.0]])
import torch


def attention(q, k, v):
    scores = q @ k.transpose(-2, -1)
    weights = torch.exp(scores)
    weights = weights / weights.sum(dim=-1, keepdim=True)  # expect: NAN103
    return weights @ v
