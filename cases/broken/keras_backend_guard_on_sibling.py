# breaks: value(likelihood, [1.0], [0.0], [0.0]), value(floored_elsewhere, [1.0], [0.0], [0.0])
# breaks: value(bernoulli, [1.0], [0.0]), value(weighted, [0.0, 0.0], [1.0, 1.0])
# breaks: value(divergence, [0.0, 1.0], [0.5, 0.5]), value(ratio, [1.0], [0.0])
# breaks: value(normalised, [1.0], [0.0]), value(rates, [0.0], [0.0], [1.0]), value(odds, [1.0])
import tensorflow.keras.backend as K


def likelihood(x, mean, std):
    return K.mean(K.log(std + 1e-6) + ((x - mean) / std) ** 2 / 2)  # expect: NAN309 no-fix


def floored_elsewhere(x, mean, std):
    safe = K.maximum(std, 1e-6)
    return K.mean(K.log(safe) + ((x - mean) / std) ** 2)  # expect: NAN309 no-fix


def bernoulli(p, y):
    return -K.mean(y * K.log(p + 1e-7) + (1 - y + 1e-7) * K.log(1 - p))  # expect: NAN202 no-fix


def weighted(w, x):
    return K.sum((w + 1e-6) * x) / K.sum(w)  # expect: NAN302 unsafe


def divergence(p, q):
    return K.sum(p * (K.log(p) - K.log(q + 1e-8)))  # expect: NAN202


def ratio(a, d):
    return K.switch(d > 0, a, K.zeros_like(a)) / d  # expect: NAN309 no-fix


def normalised(x, y):
    scaled = x / (y + 1e-6)
    return K.sum(scaled - x / y)  # expect: NAN309 no-fix


def rates(tp, fp, fn):
    precision = tp / (tp + fp)  # expect: NAN309 no-fix
    recall = tp / (tp + fn + 1e-7)
    return precision + recall


def odds(p):
    return K.mean(K.log(p + 1e-7) - K.log(1 - p))  # expect: NAN201 unsafe
