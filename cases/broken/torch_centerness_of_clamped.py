# breaks: value(centerness, [[-1.0, -2.0]])
import torch


def centerness(distances):
    left, right = distances.clamp(min=0).unbind(-1)
    return torch.min(left, right) / torch.max(left, right)  # expect: NAN309 no-fix
