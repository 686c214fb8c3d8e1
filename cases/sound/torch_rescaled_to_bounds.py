# holds: value(rescale, [2.0, 2.0], -1.0, 1.0)
# holds: value(normalized, [[[0.0, 0.0], [0.0, 0.0]]])
# holds: value(scaled_by_rms, [0.0, 0.0])
import torch


def rescale(x, low, high):
    offset = x - x.min()
    return offset * ((high - low) / (x.max() - x.min()).clamp(min=1e-6)) + low


def normalized(images):
    total = images.abs().sum(dim=-1).sum(dim=-1)
    return images / (total[..., None, None] + 1e-8)


def scaled_by_rms(x):
    return x / torch.sqrt(torch.mean(x**2) + 1e-6)
