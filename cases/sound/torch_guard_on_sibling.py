# holds: value(likelihood, [1.0], [0.0], [0.0]), value(floored_once, [1.0], [0.0], [0.0])
# holds: value(bernoulli, [1.0], [0.0]), value(weighted, [0.0, 0.0], [1.0, 1.0])
# holds: value(divergence, [0.0, 1.0], [0.5, 0.5]), value(ratio, [1.0], [0.0])
# holds: value(bounded, [1.0], [-900.0])
import torch


def likelihood(x, mean, std):
    std = std + 1e-6
    return torch.mean(torch.log(std) + ((x - mean) / std) ** 2 / 2)


def floored_once(x, mean, std):
    safe = torch.clamp_min(std, 1e-6)
    return torch.mean(torch.log(safe) + ((x - mean) / safe) ** 2)


def one_of_two(x, std, is_floored: bool):
    if is_floored:
        return torch.log(std + 1e-6)
    return x / std


def bernoulli(p, y):
    return -torch.mean(y * torch.log(p + 1e-7) + (1 - y) * torch.log(1 - p + 1e-7))


def smoothed(p, y, smoothing):
    return -torch.mean((y + smoothing) * torch.log(p))


def weighted(w, x):
    w = w + 1e-6
    return torch.sum(w * x) / torch.sum(w)


def share(counts):
    return torch.log((counts + 1e-6) / torch.sum(counts))


def divergence(p, q):
    return torch.sum(p * (torch.log(p + 1e-8) - torch.log(q + 1e-8)))


def ratio(a, d):
    return torch.where(d > 0, a, 0.0) / torch.where(d > 0, d, 1.0)


def bounded(x, y):
    scale = torch.exp(torch.clamp(y, -5.0, 5.0))
    return torch.log(scale + 1e-6) + x / scale


def other(x, y):
    return torch.log(x + 1e-8) + x / y
