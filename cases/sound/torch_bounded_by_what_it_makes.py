# holds: gradient(lambda z: log_odds(z), [[2.0, -3.0]])
# holds: gradient(lambda z: half_chord(z), [[20.0, -20.0]])
# holds: gradient(lambda z: squashed(z), [[2000.0, -1000.0]])
import torch


def log_odds(x):
    p = torch.sigmoid(x)
    if p.min() < 1e-4 or p.max() > 1 - 1e-4:
        return x.sum()
    return torch.log(p / (1 - p)).sum()


def half_chord(x):
    cosine = 0.5 + 0.25 * torch.tanh(x)
    return torch.sqrt(1 - cosine**2).sum()


def squashed(x):
    v = x / (torch.linalg.norm(x, dim=-1, keepdim=True) + 1.0)
    return ((torch.exp(v) - torch.exp(-v)) / (torch.exp(v) + torch.exp(-v))).sum()
