# breaks: gradient(lambda x: distance(x, jnp.array([[1.0, 0.0]])).sum(), [[1.0, 0.0]])
import jax.numpy as jnp


def minkowski_dot(x, y):
    return jnp.sum(x * y, axis=-1) - 2 * x[..., 0] * y[..., 0]


def distance(x, y):
    return jnp.arccosh(-minkowski_dot(x, y))  # expect: NAN209 unsafe
