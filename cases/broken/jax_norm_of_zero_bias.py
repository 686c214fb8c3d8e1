# breaks: jax.grad(loss)(jnp.zeros(1), jnp.ones((2, 3)), jnp.ones((2, 1)))
import jax
import jax.numpy as jnp


def loss(b, x, y):
    return jnp.mean((x + b - y) ** 2) + jnp.linalg.norm(b)  # expect: NAN204


grads = jax.grad(loss)(jnp.zeros(1), jnp.ones((2, 3)), jnp.ones((2, 1)))
