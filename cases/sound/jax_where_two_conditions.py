# holds: gradient(lambda v: log_density(1.0, v, 3.0), [0.0, 2.0])
import jax.numpy as jnp


def log_density(alpha, value, constant):
    is_edge = jnp.logical_and(alpha == 1.0, value == 0.0)
    result = (alpha - 1) * jnp.log(jnp.where(is_edge, 1.0, value))
    return jnp.where(is_edge, constant, result)
