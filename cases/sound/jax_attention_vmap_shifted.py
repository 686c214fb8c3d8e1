# holds: value(batched, [[[10.0, 10.0]]], [[[10.0, 10.0], [0.0, 1.0]]], [[[1.0], [2.0]]], [[1.0, 0.0]])
import jax
import jax.numpy as jnp


def attention(q, k, v, mask):
    scores = q @ k.T
    weights = jnp.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
    weights = weights / (jnp.sum(weights, axis=-1, keepdims=True) + 1e-6)
    return weights @ v


batched = jax.vmap(attention)
