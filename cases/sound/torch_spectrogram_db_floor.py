# holds: gradient(to_db, [0.0, 0.0])
import torch


def to_db(signal, amin=1e-10):
    power = torch.abs(signal) ** 2
    return 10 * torch.log10(torch.clamp(power, min=amin))
