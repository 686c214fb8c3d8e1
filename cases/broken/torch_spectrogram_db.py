# breaks: value(to_db, [0.0, 0.0])
import torch


def to_db(signal):
    power = torch.abs(signal) ** 2
    return 10 * torch.log10(power)  # expect: NAN201 possible
