# holds: value(likelihood, [1.0], [0.0], [0.0]), value(floored_once, [1.0], [0.0], [0.0])
# holds: value(bernoulli, [1.0], [0.0]), value(weighted, [0.0, 0.0], [1.0, 1.0])
# holds: value(divergence, [0.0, 1.0], [0.5, 0.5]), value(ratio, [1.0], [0.0])
# holds: value(bounded, [1.0], [-900.0])
from keras import ops


def likelihood(x, mean, std):
    std = std + 1e-6
    return ops.mean(ops.log(std) + ((x - mean) / std) ** 2 / 2)


def floored_once(x, mean, std):
    safe = ops.maximum(std, 1e-6)
    return ops.mean(ops.log(safe) + ((x - mean) / safe) ** 2)


def one_of_two(x, std, is_floored: bool):
    if is_floored:
        return ops.log(std + 1e-6)
    return x / std


def bernoulli(p, y):
    return -ops.mean(y * ops.log(p + 1e-7) + (1 - y) * ops.log(1 - p + 1e-7))


def smoothed(p, y, smoothing):
    return -ops.mean((y + smoothing) * ops.log(p))


def weighted(w, x):
    w = w + 1e-6
    return ops.sum(w * x) / ops.sum(w)


def share(counts):
    return ops.log((counts + 1e-6) / ops.sum(counts))


def divergence(p, q):
    return ops.sum(p * (ops.log(p + 1e-8) - ops.log(q + 1e-8)))


def ratio(a, d):
    return ops.where(d > 0, a, 0.0) / ops.where(d > 0, d, 1.0)


def bounded(x, y):
    scale = ops.exp(ops.clip(y, -5.0, 5.0))
    return ops.log(scale + 1e-6) + x / scale


def other(x, y):
    return ops.log(x + 1e-8) + x / y
