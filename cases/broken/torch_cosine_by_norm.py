# breaks: value(cosine, [[0.0, 0.0]], [[1.0, 0.0]])
import torch


def cosine(a, b):
    a_n = a / a.norm(dim=-1, keepdim=True)  # expect: NAN303 possible
    b_n = b / b.norm(dim=-1, keepdim=True)  # expect: NAN303 possible
    return (a_n * b_n).sum(-1)
