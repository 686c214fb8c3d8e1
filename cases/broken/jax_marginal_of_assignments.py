# breaks: value(loss, [[0.0, 200.0], [0.0, 300.0]])
import jax
import jax.numpy as jnp


def loss(logits):
    marginal = jax.nn.softmax(logits, axis=1).mean(axis=0)
    return -jnp.mean(jnp.log(marginal))  # expect: NAN201 unsafe
