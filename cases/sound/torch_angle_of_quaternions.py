# holds: gradient(lambda p: angle(p, torch.tensor([[1.0, 0.0, 0.0, 0.0]])), [[1.0, 0.0, 0.0, 0.0]])
import torch


def angle(q0, q1):
    return torch.acos((q0 * q1).sum(-1).clamp(-1 + 1e-6, 1 - 1e-6)).mean()
