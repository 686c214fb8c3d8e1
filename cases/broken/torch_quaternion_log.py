# breaks: gradient(rotation_angle, [[1.0, 0.0, 0.0, 0.0]])
import torch
import torch.nn.functional as F


def rotation_angle(q):
    q = F.normalize(q, dim=-1)
    return 2 * torch.acos(q[..., 0])  # expect: NAN208 unsafe
