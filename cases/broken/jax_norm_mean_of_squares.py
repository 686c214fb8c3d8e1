# breaks: gradient(loss, [[0.0, 0.0]], [[0.0, 0.0]])
import jax.numpy as jnp


def loss(pred, target):
    return jnp.mean(jnp.linalg.norm(pred - target, axis=-1) ** 2)  # expect: NAN204
