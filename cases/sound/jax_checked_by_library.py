import equinox as eqx
import jax
import jax.numpy as jnp
from jax.experimental import checkify


def length(x):
    n = jnp.sqrt(jnp.sum(x**2))
    n = eqx.error_if(n, n == 0, "a length of 0 has no slope")
    return x / n


def length_of_some(x):
    squares = eqx.error_if(jnp.sum(x**2, -1), jnp.any(jnp.sum(x**2, -1) <= 0), "one is 0")
    return jnp.sqrt(squares)


def length_checked(x):
    squares = jnp.sum(x**2)
    checkify.check(squares > 0, "a length of 0 has no slope")
    return jnp.sqrt(squares)


def loss(x):
    return length(x).sum() + length_of_some(x[None]).sum() + length_checked(x)


slope = jax.grad(loss)
