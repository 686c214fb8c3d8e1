# breaks: value(likelihood, [1.0], [0.0], [0.0]), value(floored_elsewhere, [1.0], [0.0], [0.0])
# breaks: value(bernoulli, [1.0], [0.0]), value(weighted, [0.0, 0.0], [1.0, 1.0])
# breaks: value(divergence, [0.0, 1.0], [0.5, 0.5]), value(ratio, [1.0], [0.0])
# breaks: value(normalised, [1.0], [0.0]), value(rates, [0.0], [0.0], [1.0]), value(odds, [1.0])
import jax.numpy as jnp


def likelihood(x, mean, std):
    return jnp.mean(jnp.log(std + 1e-6) + ((x - mean) / std) ** 2 / 2)  # expect: NAN309 no-fix


def floored_elsewhere(x, mean, std):
    safe = jnp.maximum(std, 1e-6)
    return jnp.mean(jnp.log(safe) + ((x - mean) / std) ** 2)  # expect: NAN309 no-fix


def bernoulli(p, y):
    return -jnp.mean(y * jnp.log(p + 1e-7) + (1 - y + 1e-7) * jnp.log(1 - p))  # expect: NAN202 no-fix


def weighted(w, x):
    return jnp.sum((w + 1e-6) * x) / jnp.sum(w)  # expect: NAN302 unsafe


def divergence(p, q):
    return jnp.sum(p * (jnp.log(p) - jnp.log(q + 1e-8)))  # expect: NAN202


def ratio(a, d):
    return jnp.where(d > 0, a, 0.0) / d  # expect: NAN309 no-fix


def normalised(x, y):
    scaled = x / (y + 1e-6)
    return jnp.sum(scaled - x / y)  # expect: NAN309 no-fix


def rates(tp, fp, fn):
    precision = tp / (tp + fp)  # expect: NAN309 no-fix
    recall = tp / (tp + fn + 1e-7)
    return precision + recall


def odds(p):
    return jnp.mean(jnp.log(p + 1e-7) - jnp.log(1 - p))  # expect: NAN201 unsafe
