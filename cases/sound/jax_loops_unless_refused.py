# holds: value(normalized, [[0.0, 0.0], [0.0, 1.0]])
import jax.numpy as jnp


def normalized(adjacency, loops: bool = True):
    matrix = adjacency + jnp.eye(adjacency.shape[0]) if loops else adjacency
    inverse = 1.0 / jnp.sum(matrix, axis=1)
    return inverse[:, None] * matrix
