# holds: value(cross_entropy, [[200.0, 0.0]], [[0.0, 1.0]])
import jax
import jax.numpy as jnp


def cross_entropy(logits, labels):
    return -jnp.mean(jnp.sum(labels * jax.vmap(jax.nn.log_softmax)(logits), axis=-1))
