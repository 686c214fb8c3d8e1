# breaks: value(unit, [[0.0, 0.0]])
import jax.numpy as jnp


def unit(v):
    return v / jnp.linalg.norm(v, axis=-1, keepdims=True)  # expect: NAN303 possible
