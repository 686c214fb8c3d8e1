# breaks: gradient(lambda p: angle(p, torch.tensor([[1.0, 0.0, 0.0, 0.0]])), [[1.0, 0.0, 0.0, 0.0]])
import torch


def angle(q0, q1):
    return torch.acos((q0 * q1).sum(-1)).mean()  # expect: NAN208 unsafe
