# breaks: value(attend, [[100.0]], [[[1.0]]], [[1.0]])
import jax.numpy as jnp


def attend(scores, values, mask):
    weights = jnp.exp(scores) * mask
    context = jnp.einsum("bt,btd->bd", weights, values)
    return context / jnp.sum(weights, axis=1, keepdims=True)  # expect: NAN302 unsafe
