# breaks: gradient(root_penalty, [0.0, 4.0])
import torch


def root_penalty(residual):
    r = residual.abs()
    root = r.sqrt()  # expect: NAN203 unsafe
    return torch.where(r > 1, 2 * root - 1, r).mean()
