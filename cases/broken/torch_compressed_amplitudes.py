# breaks: gradient(compress, [0.0, 0.5, -0.2], 87.6)
# breaks: gradient(signed_root, [0.0, 4.0], 1.0)
# breaks: gradient(fixed, [0.0, 0.5])
import math

import torch


def compress(x, a):
    amplitude = x.abs()
    scaled = a * amplitude
    y = torch.where(amplitude < 1 / a, scaled, 1 + torch.log(scaled))  # expect: NAN401
    return (torch.sign(x) * y / (1 + math.log(a))).sum()


def signed_root(x, knee):
    amplitude = torch.abs(x)
    root = torch.sign(x) * torch.sqrt(amplitude)  # expect: NAN203 unsafe
    return torch.where(amplitude > knee, root, x / knee).sum()


def fixed(x):
    amplitude = x.abs()
    return torch.where(amplitude < 0.25, 4 * amplitude, 1 + torch.log(4 * amplitude)).sum()  # expect: NAN401
