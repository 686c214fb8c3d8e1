# breaks: gradient(disparity, [[0.0, 2.0]])
import jax.numpy as jnp


def disparity(depth):
    mask = depth > 1e-3
    return jnp.where(mask, 1.0 / depth, 0.0)  # expect: NAN401
