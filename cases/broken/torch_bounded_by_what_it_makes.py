# breaks: value(lambda z: log_odds(z), [[200.0, -3.0]])
# breaks: gradient(lambda z: half_chord(z), [[20.0, -20.0]])
# breaks: value(lambda z: squashed(z), [[2000.0, -2000.0]])
import torch


def log_odds(x):
    p = torch.sigmoid(x)
    if p.min() < 1e-4 or p.max() > 1:
        return x.sum()
    return torch.log(p / (1 - p)).sum()  # expect: NAN117 unsafe


def half_chord(x):
    cosine = torch.tanh(x)
    return torch.sqrt(1 - cosine**2).sum()  # expect: NAN203 unsafe


def squashed(x):
    v = x / (x.mean(dim=-1, keepdim=True).abs() + 1.0)
    return ((torch.exp(v) - torch.exp(-v)) / (torch.exp(v) + torch.exp(-v))).sum()  # expect: NAN107
