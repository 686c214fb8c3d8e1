# holds: gradient(root, [0.0, 4.0])
import jax
import jax.numpy as jnp


def root(x):
    positive = x > 0
    return jnp.where(positive, jnp.sqrt(jnp.where(positive, x, 1.0)), 0.0)


grads = jax.vmap(jax.grad(root))
