# breaks: gradient(cosine_loss, [[0.0, 0.0]], [[1.0, 0.0]])
import jax
import jax.numpy as jnp


def unit(x, epsilon=0.0):
    squares = jnp.square(x).sum(axis=-1, keepdims=True)
    return x / jnp.sqrt(squares.clip(epsilon))  # expect: NAN309 no-fix


def cosine_loss(x, y, epsilon=0.0):
    return 1 - (unit(x, epsilon) * unit(y, epsilon)).sum()


step = jax.grad(cosine_loss)
