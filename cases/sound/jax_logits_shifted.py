# holds: gradient(log_probs, [200.0, 0.0])
import jax
import jax.numpy as jnp


def log_probs(logits):
    shifted = logits - jax.lax.stop_gradient(logits.max(axis=-1, keepdims=True))
    return shifted - jnp.log(jnp.sum(jnp.exp(shifted), axis=-1, keepdims=True))
