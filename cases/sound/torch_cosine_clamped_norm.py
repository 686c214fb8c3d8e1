# holds: gradient(cosine, [[0.0, 0.0]], [[1.0, 0.0]])
import torch


def cosine(a, b, eps=1e-8):
    a = a / a.norm(dim=-1, keepdim=True).clamp_min(eps)
    b = b / torch.clamp(torch.norm(b, dim=-1, keepdim=True), min=eps)
    return (a * b).sum(-1)
