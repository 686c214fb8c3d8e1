# holds: value(mish, [100.0, 1.0])
# holds: value(bound, [1000.0, 1.0])
# holds: value(planck, [1000.0, 1.0])
import jax.numpy as jnp


def mish(x):
    n = jnp.exp(jnp.minimum(x, 20))
    return x * (n * (n + 2)) / (n * (n + 2) + 2)


def bound(x, affinity=0.3):
    weight = jnp.exp(-x)
    return affinity / (affinity + weight)


def planck(x):
    return x**3 / (jnp.exp(x) - 1)


def left(time, rate, weight):
    remains = weight * jnp.exp(-rate * time)
    return remains / (remains + 1)


def reliability(log_precision, noise):
    precision = jnp.exp(log_precision)
    return precision / (precision + noise)


def fused(x, y):
    top = jnp.maximum(x, y)
    e, f = jnp.exp(x - top), jnp.exp(y - top)
    return 0.5 * e / (0.5 * e + f)
