# breaks: gradient(total, [[0.0, 0.5], [0.5, 1.0]])
import jax.numpy as jnp


def total(covariance):
    diagonal = jnp.diagonal(covariance)
    logs = jnp.where(diagonal > 1e-7, jnp.log(diagonal), jnp.zeros_like(diagonal))  # expect: NAN401
    return jnp.sum(logs)
