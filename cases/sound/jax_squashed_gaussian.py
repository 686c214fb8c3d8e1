# holds: gradient(log_det, [20.0])
import jax
import jax.numpy as jnp


def log_det(u):
    return jnp.sum(2 * (jnp.log(2.0) - u - jax.nn.softplus(-2 * u)))


def log_det_floored(u):
    return jnp.sum(jnp.log(1 - jnp.tanh(u) ** 2 + 1e-6))
