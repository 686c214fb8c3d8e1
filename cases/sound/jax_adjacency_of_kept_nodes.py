# holds: value(normalised, [[0.0, 1.0], [1.0, 0.0]], [0.0, 0.0])
# holds: value(weighted, [[1.0, 2.0], [1.0, 3.0]], [0.0, 0.0])
import jax.numpy as jnp


def normalised(adjacency, keep):
    adjacency = adjacency * jnp.where(keep > 0, 1.0, 0.0)
    degree = adjacency.sum(axis=1, keepdims=True)
    return adjacency / jnp.maximum(degree, 1e-8)


def weighted(x, keep):
    x = x * jnp.where(keep > 0, 1.0, 0.5)
    return x / x.sum(axis=1, keepdims=True)
