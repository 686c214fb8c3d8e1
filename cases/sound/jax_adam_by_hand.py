# holds: value(adam, [0.0], [0.0], [0.0], [0.0], 1)
import jax
import jax.numpy as jnp


def adam(p, g, m, v, t, lr=1e-3, b1=0.9, b2=0.999, eps=1e-8):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g**2
    mhat = m / (1 - b1**t)
    vhat = v / (1 - b2**t)
    return p - lr * mhat / (jnp.sqrt(vhat) + eps), m, v
