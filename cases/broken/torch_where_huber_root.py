# breaks: gradient(root_penalty, [0.0, 4.0])
import torch


def root_penalty(residual):
    r = residual.abs()
    root = r.sqrt()
    return torch.where(r > 1, 2 * root - 1, r).mean()  # expect: NAN401
