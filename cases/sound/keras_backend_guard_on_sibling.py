# holds: value(likelihood, [1.0], [0.0], [0.0]), value(floored_once, [1.0], [0.0], [0.0])
# holds: value(bernoulli, [1.0], [0.0]), value(weighted, [0.0, 0.0], [1.0, 1.0])
# holds: value(divergence, [0.0, 1.0], [0.5, 0.5]), value(ratio, [1.0], [0.0])
# holds: value(bounded, [1.0], [-900.0])
import tensorflow.keras.backend as K


def likelihood(x, mean, std):
    std = std + 1e-6
    return K.mean(K.log(std) + ((x - mean) / std) ** 2 / 2)


def floored_once(x, mean, std):
    safe = K.maximum(std, 1e-6)
    return K.mean(K.log(safe) + ((x - mean) / safe) ** 2)


def one_of_two(x, std, is_floored: bool):
    if is_floored:
        return K.log(std + 1e-6)
    return x / std


def bernoulli(p, y):
    return -K.mean(y * K.log(p + 1e-7) + (1 - y) * K.log(1 - p + 1e-7))


def smoothed(p, y, smoothing):
    return -K.mean((y + smoothing) * K.log(p))


def weighted(w, x):
    w = w + 1e-6
    return K.sum(w * x) / K.sum(w)


def share(counts):
    return K.log((counts + 1e-6) / K.sum(counts))


def divergence(p, q):
    return K.sum(p * (K.log(p + 1e-8) - K.log(q + 1e-8)))


def ratio(a, d):
    return K.switch(d > 0, a, K.zeros_like(a)) / K.switch(d > 0, d, K.ones_like(d))


def bounded(x, y):
    scale = K.exp(K.clip(y, -5.0, 5.0))
    return K.log(scale + 1e-6) + x / scale


def other(x, y):
    return K.log(x + 1e-8) + x / y
