# breaks: value(layer_norm, [[1.0, 1.0]])
import jax
import jax.numpy as jnp


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)  # expect: NAN304 unsafe


forward = jax.vmap(layer_norm)
