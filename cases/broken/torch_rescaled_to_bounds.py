# breaks: value(rescale, [2.0, 2.0], -1.0, 1.0)
# breaks: value(normalized, [[[0.0, 0.0], [0.0, 0.0]]])
# breaks: value(scaled_by_rms, [0.0, 0.0])
import torch


def rescale(x, low, high):
    offset = x - x.min()
    return offset * ((high - low) / (x.max() - x.min())) + low  # expect: NAN305 unsafe


def normalized(images):
    total = images.abs().sum(dim=-1).sum(dim=-1)
    return images / total[..., None, None]  # expect: NAN302 unsafe


def scaled_by_rms(x):
    return x / torch.sqrt(torch.mean(x**2))  # expect: NAN303 possible
