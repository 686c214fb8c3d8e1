# holds: gradient(density, [0.0, 0.5])
import jax.numpy as jnp


def log_density(value, alpha, beta):
    is_bound = jnp.logical_and(alpha == 1.0, value == 0.0)
    inside = jnp.where(is_bound, 0.5, value)
    result = (alpha - 1.0) * jnp.log(inside) + (beta - 1.0) * jnp.log1p(-inside)
    return jnp.where(is_bound, jnp.log(beta), result)


def density(value):
    return jnp.exp(log_density(value, jnp.ones(2), 2.0 * jnp.ones(2))).sum()
