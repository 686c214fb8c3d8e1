# breaks: gradient(angle, [[1.0, 0.0]], [[1.0, 0.0]])
import torch
import torch.nn.functional as F


def angle(u, v):
    cos = F.cosine_similarity(u, v, dim=-1)
    return torch.acos(torch.clamp(cos, -1.0, 1.0)).mean()  # expect: NAN208 unsafe
