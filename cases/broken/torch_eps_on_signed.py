# breaks: value(aspect, [1.0], [-1e-6])
import torch


def aspect(width, delta):
    signed = torch.tanh(delta)
    return width / (torch.sin(signed) + 1e-6)  # expect: NAN506 possible
