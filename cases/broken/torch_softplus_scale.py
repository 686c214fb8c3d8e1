# breaks: value(gaussian_nll, [-200.0], [0.0], [0.0])
import torch
import torch.nn.functional as F


def gaussian_nll(raw, mu, y):
    sigma = F.softplus(raw)  # expect: NAN212 possible
    z = (y - mu) / sigma
    return (0.5 * z ** 2 + torch.log(sigma)).mean()  # expect: NAN201 unsafe
