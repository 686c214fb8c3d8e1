# breaks: gradient(angle, [[1.0, 0.0]], [[1.0, 0.0]])
import torch
import torch.nn.functional as F


def angle(x, y):
    theta = torch.acos(F.cosine_similarity(x, y, dim=-1))  # expect: NAN208 no-fix
    return torch.where(theta < 1e-6, 1.0, theta)


def loss(x, y):
    return angle(x, y).mean()


def train(x, y):
    loss(x, y).backward()
