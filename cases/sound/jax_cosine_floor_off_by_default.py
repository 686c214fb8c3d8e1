# holds: gradient(cosine_loss, [[0.0, 0.0]], [[1.0, 0.0]])
import jax
import jax.numpy as jnp


def unit(x, epsilon=0.0):
    squares = jnp.square(x).sum(axis=-1, keepdims=True)
    return x / jnp.sqrt(squares.clip(epsilon))


def cosine_loss(x, y):
    return 1 - (unit(x, 1e-6) * unit(y, 1e-6)).sum()


step = jax.grad(cosine_loss)
