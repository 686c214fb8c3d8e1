# breaks: gradient(density, [0.0, 0.5])
import jax.numpy as jnp


def log_density(value, alpha, beta):
    result = (alpha - 1.0) * jnp.log(value) + (beta - 1.0) * jnp.log1p(-value)
    is_bound = jnp.logical_and(alpha == 1.0, value == 0.0)
    return jnp.where(is_bound, jnp.log(beta), result)  # expect: NAN401 no-fix


def density(value):
    return jnp.exp(log_density(value, jnp.ones(2), 2.0 * jnp.ones(2))).sum()
