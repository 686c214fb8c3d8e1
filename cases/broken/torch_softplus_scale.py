# breaks: value(gaussian_nll, [-200.0], [0.0], [0.0])
import torch
import torch.nn.functional as F


def gaussian_nll(raw, mu, y):
    sigma = F.softplus(raw)
    z = (y - mu) / sigma  # expect: NAN212
    return (0.5 * z ** 2 + torch.log(sigma)).mean()  # expect: NAN212
