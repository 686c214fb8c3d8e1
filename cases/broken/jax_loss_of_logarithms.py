# breaks: value(loss, [[0.0, 1.0]])
import jax.numpy as jnp


def loss(actions):
    p = jnp.clip(actions, 0.0, 1.0)
    logits = jnp.array([jnp.log(p), jnp.log(1 - p)])  # expect: NAN201 unsafe; NAN201 unsafe
    return -jnp.mean(logits)
