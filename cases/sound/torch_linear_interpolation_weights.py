# holds: value(lambda x: weights(x, 4, 2), [0.0])
import torch


def weights(offset, size_in, size_out):
    centre = (torch.arange(size_out) + 0.5) * (size_in / size_out) + offset
    distance = (torch.arange(size_in)[None, :] + 0.5 - centre[:, None]).abs()
    found = (1.0 - distance).clamp(min=0.0)
    return found / found.sum(-1, keepdim=True)
