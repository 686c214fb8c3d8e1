# breaks: value(coupling, [0.0, 0.0], [100.0, 0.0])
import torch


def coupling(x, s):
    s = 100 * torch.tanh(s)
    y = x * torch.exp(s)  # expect: NAN504 no-fix
    return y, s.sum()
