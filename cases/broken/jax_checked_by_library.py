# breaks: gradient(length, [0.0, 0.0])
import jax
import jax.numpy as jnp
from jax.experimental import checkify


def length(x):
    return jnp.sqrt(jnp.sum(x**2))  # expect: NAN203


def length_checked_elsewhere(x):
    checkify.check(jnp.any(x > -1), "all below")
    return jnp.sqrt(jnp.sum(x**2))  # expect: NAN203


slope = jax.grad(length)
