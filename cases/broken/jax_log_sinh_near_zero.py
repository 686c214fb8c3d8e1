"""The same asymptote, also near 0, where 1 minus the exponential has no digits left."""

import jax
import jax.numpy as jnp


@jax.jit
def _far(size):
    return size - jnp.log(2.0) + jnp.log1p(-jnp.exp(-2.0 * size))  # expect: NAN122


def log_sinh(x):
    size = jnp.abs(x)
    is_large = size > 40.0
    far = _far(size)
    near = jnp.log(jnp.sinh(jnp.where(is_large, 1.0, size)))
    return jnp.where(is_large, far, near)  # expect: NAN401 no-fix
