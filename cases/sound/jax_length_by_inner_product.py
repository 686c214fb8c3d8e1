# holds: gradient(length, [0.0, 0.0])
# holds: gradient(form, [0.5, 1.0], [[2.0, 1.0], [1.0, 2.0]])
import jax.numpy as jnp


def length(x):
    return jnp.sqrt(x @ x + 1e-12)


def form(x, covariance):
    return jnp.sqrt(x @ jnp.exp(covariance) @ x + 1.0)
