# holds: value(likelihood, [1.0], [0.0], [0.0]), value(floored_once, [1.0], [0.0], [0.0])
# holds: value(bernoulli, [1.0], [0.0]), value(weighted, [0.0, 0.0], [1.0, 1.0])
# holds: value(divergence, [0.0, 1.0], [0.5, 0.5]), value(ratio, [1.0], [0.0])
# holds: value(bounded, [1.0], [-900.0])
import jax.numpy as jnp


def likelihood(x, mean, std):
    std = std + 1e-6
    return jnp.mean(jnp.log(std) + ((x - mean) / std) ** 2 / 2)


def floored_once(x, mean, std):
    safe = jnp.maximum(std, 1e-6)
    return jnp.mean(jnp.log(safe) + ((x - mean) / safe) ** 2)


def one_of_two(x, std, is_floored: bool):
    if is_floored:
        return jnp.log(std + 1e-6)
    return x / std


def bernoulli(p, y):
    return -jnp.mean(y * jnp.log(p + 1e-7) + (1 - y) * jnp.log(1 - p + 1e-7))


def smoothed(p, y, smoothing):
    return -jnp.mean((y + smoothing) * jnp.log(p))


def weighted(w, x):
    w = w + 1e-6
    return jnp.sum(w * x) / jnp.sum(w)


def share(counts):
    return jnp.log((counts + 1e-6) / jnp.sum(counts))


def divergence(p, q):
    return jnp.sum(p * (jnp.log(p + 1e-8) - jnp.log(q + 1e-8)))


def ratio(a, d):
    return jnp.where(d > 0, a, 0.0) / jnp.where(d > 0, d, 1.0)


def bounded(x, y):
    scale = jnp.exp(jnp.clip(y, -5.0, 5.0))
    return jnp.log(scale + 1e-6) + x / scale


def other(x, y):
    return jnp.log(x + 1e-8) + x / y
