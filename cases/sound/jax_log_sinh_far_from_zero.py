"""The logarithm of sinh, by an asymptote far from 0: near it the asymptote is given a 1."""

import jax
import jax.numpy as jnp


@jax.jit
def _far(size):
    return size - jnp.log(2.0) + jnp.log1p(-jnp.exp(-2.0 * size))


def log_sinh(x):
    size = jnp.abs(x)
    is_large = size > 40.0
    far = _far(jnp.where(is_large, size, 1.0))
    near = jnp.log(jnp.sinh(jnp.where(is_large, 1.0, size)))
    return jnp.where(is_large, far, near)
