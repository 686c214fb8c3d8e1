# holds: projection(jax.random.PRNGKey(0), 4)
import jax
import jax.numpy as jnp


def projection(key, n):
    w = jax.random.normal(key, (n, n))
    return w / jnp.linalg.norm(w, axis=0, keepdims=True)


def grid(n=8):
    x = jnp.linspace(-1.0, 1.0, n)
    return x / jnp.max(jnp.abs(x))
