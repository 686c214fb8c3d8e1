# holds: value(fake_quant, [[0.0, 0.0], [1.0, 2.0]])
import torch


def fake_quant(w, bits=8):
    lo, hi = w.amin(dim=1, keepdim=True), w.amax(dim=1, keepdim=True)
    scale = torch.clamp(hi - lo, min=1e-8) / (2**bits - 1)
    zero = torch.round(-lo / scale)
    q = torch.clamp(torch.round(w / scale) + zero, 0, 2**bits - 1)
    return (q - zero) * scale
