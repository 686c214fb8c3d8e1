# holds: value(likelihood, [1.0], [0.0], [0.0]), value(floored_once, [1.0], [0.0], [0.0])
# holds: value(bernoulli, [1.0], [0.0]), value(weighted, [0.0, 0.0], [1.0, 1.0])
# holds: value(divergence, [0.0, 1.0], [0.5, 0.5]), value(ratio, [1.0], [0.0])
# holds: value(bounded, [1.0], [-900.0])
import numpy as np


def likelihood(x, mean, std):
    std = std + 1e-6
    return np.mean(np.log(std) + ((x - mean) / std) ** 2 / 2)


def floored_once(x, mean, std):
    safe = np.maximum(std, 1e-6)
    return np.mean(np.log(safe) + ((x - mean) / safe) ** 2)


def one_of_two(x, std, is_floored: bool):
    if is_floored:
        return np.log(std + 1e-6)
    return x / std


def bernoulli(p, y):
    return -np.mean(y * np.log(p + 1e-7) + (1 - y) * np.log(1 - p + 1e-7))


def smoothed(p, y, smoothing):
    return -np.mean((y + smoothing) * np.log(p))


def weighted(w, x):
    w = w + 1e-6
    return np.sum(w * x) / np.sum(w)


def share(counts):
    return np.log((counts + 1e-6) / np.sum(counts))


def divergence(p, q):
    return np.sum(p * (np.log(p + 1e-8) - np.log(q + 1e-8)))


def ratio(a, d):
    return np.where(d > 0, a, 0.0) / np.where(d > 0, d, 1.0)


def bounded(x, y):
    scale = np.exp(np.clip(y, -5.0, 5.0))
    return np.log(scale + 1e-6) + x / scale


def other(x, y):
    return np.log(x + 1e-8) + x / y
