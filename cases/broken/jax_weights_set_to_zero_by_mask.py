# breaks: value(lambda s: chosen(s, jnp.zeros(2, dtype=bool)), [1.0, 2.0])
import jax
import jax.numpy as jnp


def chosen(scores, keep):
    gate = jnp.where(keep, jax.nn.sigmoid(scores), 0.0)
    return gate / gate.sum(-1, keepdims=True)  # expect: NAN302 unsafe
