# breaks: value(minmax_quant, [1.0, 1.0])
import torch


def minmax_quant(x, bits=8):
    levels = 2 ** bits - 1
    lo, hi = x.min(), x.max()
    unit = (x - lo) / (hi - lo)  # expect: NAN305 unsafe
    return torch.round(unit * levels) / levels * (hi - lo) + lo
