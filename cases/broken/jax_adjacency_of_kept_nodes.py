# breaks: value(normalised, [[0.0, 1.0], [1.0, 0.0]], [0.0, 0.0])
import jax.numpy as jnp


def normalised(adjacency, keep):
    adjacency = adjacency * jnp.where(keep > 0, 1.0, 0.0)
    degree = adjacency.sum(axis=1, keepdims=True)
    return adjacency / degree  # expect: NAN302 unsafe
