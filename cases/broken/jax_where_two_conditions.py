# breaks: gradient(lambda v: log_density(1.0, v, 3.0), [0.0, 2.0])
import jax.numpy as jnp


def log_density(alpha, value, constant):
    result = (alpha - 1) * jnp.log(value)
    return jnp.where(jnp.logical_and(alpha == 1.0, value == 0.0), constant, result)  # expect: NAN401
