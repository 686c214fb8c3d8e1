# holds: gradient(angle, [[1.0, 0.0]], [[1.0, 0.0]])
import torch
import torch.nn.functional as F


def angle(u, v, margin=1e-6):
    cos = F.cosine_similarity(u, v, dim=-1)
    return torch.acos(cos.clamp(-1 + margin, 1 - margin)).mean()
