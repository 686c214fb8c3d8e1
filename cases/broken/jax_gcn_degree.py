# breaks: value(gcn, [[1.0], [1.0]], [[0.0, 0.0], [0.0, 1.0]])
import jax.numpy as jnp


def gcn(nodes, adjacency):
    degree = jnp.sum(adjacency, axis=1)
    inv_sqrt = 1.0 / jnp.sqrt(degree)  # expect: NAN306 unsafe
    return inv_sqrt[:, None] * (adjacency @ (inv_sqrt[:, None] * nodes))
