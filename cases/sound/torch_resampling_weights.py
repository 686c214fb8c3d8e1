# holds: value(lambda x: weights(x, 4, 2), [0.0])
import torch


def weights(offset, size_in, size_out, cubic=False):
    scale = torch.zeros(()) + size_in / size_out
    center = (torch.arange(size_out) + 0.5) * scale + offset
    distance = ((torch.arange(size_in)[None, :] + 0.5 - center[:, None]) / scale.clamp(min=1.0)).abs()
    if cubic:
        near = (1.5 * distance - 2.5) * distance * distance + 1.0
        found = torch.where(distance <= 1.0, near, 0.0)
    else:
        found = (1.0 - distance).clamp(min=0.0)
    return found / found.sum(-1, keepdim=True)
