# breaks: value(batched, [[[10.0, 10.0]]], [[[10.0, 10.0], [0.0, 1.0]]], [[[1.0], [2.0]]], [[1.0, 0.0]])
import jax
import jax.numpy as jnp


def attention(q, k, v, mask):
    weights = jnp.exp(q @ k.T) * mask
    weights = weights / jnp.sum(weights, axis=-1, keepdims=True)  # expect: NAN103 no-fix
    return weights @ v


batched = jax.vmap(attention)
