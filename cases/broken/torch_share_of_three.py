# breaks: value(share, [200.0], [100.0], [3.0])
import torch


def share(x, y, other):
    return torch.exp(x) / (torch.exp(x) + torch.exp(y) + other)  # expect: NAN103 no-fix
