# breaks: value(embedding, [[-1.0, -2.0]])
# breaks: value(centred, [[2.0, 2.0]])
import torch


def unit(v):
    return v / v.norm(dim=-1, keepdim=True)  # expect: NAN303 unsafe


def embedding(x):
    return unit(torch.relu(x))


def centred(x):
    x = x - x.mean(dim=-1, keepdim=True)
    return x / x.norm(dim=-1, keepdim=True)  # expect: NAN303 unsafe
