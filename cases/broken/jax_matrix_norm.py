# breaks: gradient(loss, [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
import jax.numpy as jnp


def loss(prediction, target):
    return jnp.linalg.matrix_norm(prediction - target)  # expect: NAN204 no-fix
