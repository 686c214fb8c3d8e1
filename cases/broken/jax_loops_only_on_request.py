# breaks: value(normalized, [[0.0, 0.0], [0.0, 1.0]])
import jax.numpy as jnp


def normalized(adjacency, loops: bool = False):
    matrix = adjacency + jnp.eye(adjacency.shape[0]) if loops else adjacency
    inverse = 1.0 / jnp.sum(matrix, axis=1)  # expect: NAN306 no-fix
    return inverse[:, None] * matrix
